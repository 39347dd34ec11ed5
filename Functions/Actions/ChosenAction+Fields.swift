import API
import FoundationEssentials
import PushPayload
import StoreLive

extension ChosenAction {
  /// Reads what an app sent.
  init(_ notification: UUID, _ fields: Fields) throws(APIError) {
    let action = try fields.required("action", .choice as FieldRule<PushAction>)
    self.init(
      notification: notification, action: action,
      text: action == .reply ? try fields.required("text", .text(1...4_000)) : nil,
      device: try fields.optional("deviceId", .id), time: try fields.optional("at", .instant))
  }
}

extension APIError {
  /// The answer to a refusal.
  init(_ refusal: ActionRefusal) {
    switch refusal {
    case .unknownNotification: self = .notFound
    case .unknownDevice: self = .invalid("deviceId must be the id of one of your devices.")
    case .notOffered(let actions) where actions.isEmpty:
      self = .invalid("action must be one that the notification offers; it offers none.")
    case .notOffered(let actions):
      self = .invalid("action must be one of \(actions.map(\.rawValue).joined(separator: ", ")) here.")
    case .conflict(let reason): self.init(409, reason)
    }
  }
}
