import Console
import Documents

/// The notifications that wait, and who gets them when: `Grace: 3 votes on Night mode, told in one message at 18:49`.
struct WaitingView {
  /// The ones that are due first.
  let waiting: [PeopleDocument.Waiting]
  /// Where people's pages are.
  let place: Place

  /// The most whose texts are drawn: a page of many would be heavy.
  static let mostDrawn = 10

  var html: HTML {
    tag(.ul, .class("plain block")) {
      for (index, one) in waiting.enumerated() {
        tag(.li) {
          sentence(one)
          if index < Self.mostDrawn { texts(of: one) }
        }
      }
    }
  }

  @HTMLBuilder private func sentence(_ waiting: PeopleDocument.Waiting) -> HTML {
    link(title(of: waiting.person), to: Address(place.path, waiting.person.id.description))
    ": "
    name(waiting.sentence, longest: 200)
    " "
    time(waiting.until)
    tag(.small) { name(" \(waiting.app), \(waiting.reason.words)", longest: 200) }
  }

  @HTMLBuilder private func texts(of waiting: PeopleDocument.Waiting) -> HTML {
    if let said = waiting.said {
      if waiting.isToldTogether {
        tag(.small) { ", made of what these say, the newest first" }
      } else if waiting.reason == "batched" {
        tag(.small) { ", added to what their phone shows" }
      }
      for one in said { SaidView(said: one, app: waiting.app, isBrief: true).html }
    }
  }
}
