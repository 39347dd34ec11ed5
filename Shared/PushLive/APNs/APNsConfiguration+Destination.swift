import Notifications

extension APNsConfiguration {
  /// The destination of a push.
  func app(of push: QueuedPush) -> APNsApp {
    var app = home(of: push)
    if let probe = push.probe { app.environment = probe }
    return app
  }

  /// The app and environment of a push's device.
  ///
  /// If no topic is known, nothing is sent.
  func home(of push: QueuedPush) -> APNsApp {
    APNsApp(
      environment: push.device.environment ?? environment,
      topic: push.device.topic ?? topic(of: push.device.app) ?? "")
  }
}

extension PushReport {
  /// A report on a push to an app.
  static func apns(_ verdict: PushVerdict, _ app: APNsApp, reason: String? = nil) -> PushReport {
    PushReport(verdict: verdict, reason: reason, environment: app.environment, topic: app.topic)
  }
}
