import FoundationEssentials
import FunctionKit
import HTTP2

/// Firebase Cloud Messaging (HTTP v1) as a value: it takes requests and the time, and returns answers.
struct FCM: Sendable {
  var oauth = OAuth()

  /// Whether a path is Google's.
  static func isPath(_ path: String) -> Bool { path.hasPrefix("/v1/") }

  /// Checks a request in FCM's order: route, access token, project, message, device.
  mutating func judge(_ request: HTTP2Request, to phones: inout Phones, now: Date) -> Judgement {
    let project = Self.project(request.path)
    let id = "projects/\(project ?? "-")/messages/0:\(Int(now.timeIntervalSince1970 * 1_000_000))%\(RandomID.make())"
    var judgement = Judgement(service: .fcm, id: id, token: "")
    do throws(FCMFailure) {
      guard let project else {
        throw FCMFailure(status: 404, code: "NOT_FOUND", message: "The requested URL was not found.", detail: .none)
      }
      guard request.method == "POST" else {
        throw FCMFailure(status: 405, code: "UNIMPLEMENTED", message: "Method not allowed.", detail: .none)
      }
      guard let grant = oauth.grant(in: request.headers["authorization"], now: now) else { throw .unauthenticated }
      guard grant.projectID == project else { throw .permissionDenied(project) }
      let message = try FCMRequest(request.body)
      judgement.note(message, now: now)
      judgement.topic = project
      guard !message.isValidateOnly else {
        judgement.effect = Effect(.accepted, taken: false)
        return judgement.answered()
      }
      let target = Fault.Target(service: .fcm, token: message.target, topic: project, pushType: nil)
      (judgement.effect, judgement.fault) = phones.effect(on: target) { $0.refusal(message.target, project: project) }
    } catch {
      judgement.effect = Effect(.refused(status: error.status, reason: error.code))
      judgement.body = error.body
    }
    return judgement.answered()
  }

  private static func project(_ path: String) -> String? {
    guard path.hasPrefix("/v1/projects/"), path.hasSuffix("/messages:send") else { return nil }
    let project = path.dropFirst("/v1/projects/".count).dropLast("/messages:send".count)
    return project.isEmpty || project.contains("/") ? nil : String(project)
  }
}

extension DeviceRegistry {
  /// FCM's refusal because of the device; `nil` if it accepts the message.
  func refusal(_ token: String, project: String) -> Answer? {
    guard let state = state(of: token) else {
      return isStrict ? .refused(status: 400, reason: "INVALID_ARGUMENT") : nil
    }
    guard (state.project ?? project) == project else { return .refused(status: 403, reason: "SENDER_ID_MISMATCH") }
    switch state.registration {
    case .invalid: return .refused(status: 400, reason: "INVALID_ARGUMENT")
    case .unregistered, .expired: return .refused(status: 404, reason: "UNREGISTERED")
    case .registered, nil: return nil
    }
  }
}

extension Judgement {
  fileprivate mutating func note(_ message: FCMRequest, now: Date) {
    (token, payload, priority) = (message.target, message.json, message.priority)
    (collapseID, collapseKey) = (message.tag, message.collapseKey)
    expiration = message.ttl.map { $0 == 0 ? 0 : Int(now.timeIntervalSince1970 + $0) }
  }

  /// The answer with FCM's body.
  fileprivate func answered() -> Judgement {
    var judgement = self
    switch effect.answer {
    case .refused(let status, let reason, _, _):
      judgement.body = body ?? FCMFailure(status: status, reason: reason).body
    default:
      judgement.body = Array(RawJSON(object: [("name", RawJSON(id))]).bytes)
    }
    return judgement
  }
}
