import API
import FoundationEssentials
import PersonLive
import PushPayload

extension ChosenAction {
  /// Reads the body of a request.
  init(_ notification: UUID, _ fields: Fields) throws(APIError) {
    let action = try fields.required("action", .choice as FieldRule<PushAction>)
    let text: FieldRule<String> = .text(1...4_000, isWords: true)
    let reply = action == .reply ? try fields.required("text", text) : try fields.optional("text", text)
    self.init(
      notification: notification, action: action, text: action == .reply ? reply : nil,
      device: try fields.optional("deviceId", .id), time: try fields.optional("at", .instant))
  }
}

extension APIError {
  init(_ refusal: ActionRefusal) {
    switch refusal {
    case .unknownNotification: self = .notFound
    case .unknownDevice: self.init(404, "deviceId must be the id of one of your devices.")
    case .notOffered(let actions) where actions.isEmpty:
      self.init(409, "action must be one that the notification offers; it offers none.")
    case .notOffered(let actions):
      self.init(409, "action must be one of \(actions.map(\.rawValue).joined(separator: ", ")) here.")
    case .conflict(let reason): self.init(409, reason)
    }
  }
}
