import Documents
import FunctionKit
import Inspection

/// Asks before a changed event is sent.
struct SendQuestion {
  /// The event that somebody has changed.
  var event: EventSummary
  /// The event as they have changed it.
  var document: RawJSON
  /// The same as they have written it.
  var body: String
  /// The id that the new event gets.
  var newID: String
  var token: String

  var page: Page {
    Page("Send the changed event to \(event.function)?", in: "") {
      tag(.div, .class("callout notice")) {
        tag(.p) {
          name(event.function)
          " gets it as a new event and does what it does: people may be told. Its id will be "
          tag(.code) { newID }
          ", whatever id stands below, and it says that it repeats "
          tag(.code) { name(event.id, longest: 300) }
          "."
        }
        tag(.p) { "To see first who would be told, go back and make a dry run." }
      }
      json(document)
      tag(.div, .class("buttons")) {
        ActForm(
          "Send it", at: Address("event", event.id, "send"),
          [("function", event.function), ("body", body), ("sure", newID)], isDangerous: true, id: "send"
        ).html(token: token)
        tag(.a, .class("button"), .href(event.address)) { "Do not send it" }
      }
    }
  }
}
