package import Documents
package import FunctionKit
package import Manifest

extension History {
  /// Says that an event that has ended is no longer kept, and why.
  package func gone(_ event: EventSummary) -> FunctionError {
    let rule =
      event.code == "TOO_LARGE"
      ? "the change was larger than an event may be"
      : keepsPayloads
        ? "whole events are kept for about \(payloadHours) hours (history.payloadHours in functions.json)"
        : "functions.json says not to keep whole events (history.payloads)"
    return FunctionError(.noInput, "Of event \(event.id) only its outcome is left: \(rule).")
  }
}
