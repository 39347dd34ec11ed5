import FunctionKit
import Notifications

extension Log {
  /// Logs once what a breaker does.
  func report(_ news: [Breakers.News], _ reason: String? = nil) {
    for one in news {
      switch one {
      case .teamHeld(let team):
        error(
          "APNs refuses further provider tokens of a team; its deliveries are held",
          ["push.team": team, "push.reason": reason ?? ""])
      case .credentialHeld(let id):
        error(
          "APNs refuses a key; deliveries that need it are held until it is accepted",
          id.facts(and: reason, as: "push.reason"))
      case .credentialFree(let id):
        info("A key is tried or accepted again; deliveries that need it go out", id.facts)
      case .appHeld(let app):
        error(
          "APNs refuses an app; its deliveries are held until it is accepted",
          app.facts(and: reason, as: "push.reason"))
      case .appFree(let app): info("APNs accepts the app again", app.facts)
      case .devicesHeld(let app):
        error(
          "APNs calls many of an app's device tokens bad; its deliveries are held and no device is touched", app.facts)
      case .topicHeld(let topic):
        error(
          "APNs says that the configured topic is not that of an app's devices; those that name none are held and not touched",
          topic.facts(and: reason))
      case .topicFree(let topic): info("APNs accepts a device of the app under the configured topic", topic.facts)
      case .devicesFree(let app): info("APNs accepts the app's device tokens again", app.facts)
      }
    }
  }
}

extension ProviderTokenID {
  var facts: KeyValuePairs<String, String> {
    ["push.team": teamID, "push.key": keyID, "push.environment": environment.rawValue]
  }

  func facts(and cause: String?, as name: String = "error.cause") -> KeyValuePairs<String, String> {
    ["push.team": teamID, "push.key": keyID, "push.environment": environment.rawValue, name: cause ?? ""]
  }
}

extension Breakers.AppTopic {
  fileprivate var facts: KeyValuePairs<String, String> { ["push.app": app, "push.topic": topic] }

  fileprivate func facts(and reason: String?) -> KeyValuePairs<String, String> {
    [
      "push.app": app, "push.topic": topic, "push.reason": reason ?? "",
      "push.remedy": "the bundleId of \(app) under apps in functions.json, APNS_TOPICS or APNS_BUNDLE_ID",
    ]
  }
}

extension APNsApp {
  var facts: KeyValuePairs<String, String> { ["push.topic": topic, "push.environment": environment.rawValue] }

  func facts(and cause: String?, as name: String) -> KeyValuePairs<String, String> {
    ["push.topic": topic, "push.environment": environment.rawValue, name: cause ?? ""]
  }
}
