import FunctionKit
import Notifications

extension APNsSender {
  /// The destination of a push.
  func app(of push: QueuedPush) -> APNsApp {
    var app = home(of: push)
    if let probe = push.probe { app.environment = probe }
    return app
  }

  /// The app and environment of its device.
  ///
  /// If no topic is known, nothing is sent.
  func home(of push: QueuedPush) -> APNsApp {
    APNsApp(
      environment: push.device.environment ?? configuration.environment,
      topic: push.device.topic ?? configuration.topic(of: push.device.app) ?? "")
  }

  /// The route for an app; `nil` if there is no key for it.
  func route(for app: APNsApp) -> Route? {
    if let place = places[app] { return place.map { routes[$0] } }
    guard let key = configuration.key(for: app) else {
      places[app] = .some(nil)
      log.error(
        "No key is configured for an app; its deliveries are held",
        ["push.topic": app.topic, "push.environment": app.environment.rawValue])
      return nil
    }
    let route = routes.first { $0.id == key.tokenID(app.environment) } ?? newRoute(key, app.environment)
    places[app] = route.place
    return route
  }

  func enqueue(_ batch: PushBatch) {
    for (index, push) in batch.pushes.enumerated() {
      let app = app(of: push)
      guard !app.topic.isEmpty else {
        noteMissingTopic(of: push.device.app)
        batch.report(
          PushReport(verdict: .noKey, reason: "NoTopicForApp", environment: app.environment, topic: app.topic),
          at: index)
        continue
      }
      if let route = route(for: app) {
        route.queue.append(PushQueue.Entry(batch: batch, index: index))
      } else {
        batch.report(
          PushReport(verdict: .noKey, reason: "NoKeyForTopic", environment: app.environment, topic: app.topic),
          at: index)
      }
    }
  }

  private func noteMissingTopic(of app: String) {
    guard appsWithoutTopic.insert(app).inserted else { return }
    log.error(
      "No topic is configured for an app's devices that name none; their deliveries are held",
      ["push.app": app, "push.remedy": "its bundleId under apps in functions.json, or APNS_TOPICS=\(app)=…"])
  }

  /// Checks whether a key was replaced; then its routes start again.
  func refreshKeys() {
    for key in configuration.keys {
      switch key.source.refresh() {
      case .none: continue
      case .unreadable:
        log.error("A key file holds no key; the one that was read before stays in use", ["push.key": key.keyID])
      case .replaced:
        log.info("A key file was replaced", ["push.key": key.keyID])
        for route in routes where route.key.source === key.source {
          route.token.forget()
          for connection in route.connections { retire(connection, of: route, "the key was replaced") }
          logNews(breakers.lift(route.id, at: moment))
        }
      }
    }
  }

  private func newRoute(_ key: APNsKey, _ environment: PushEnvironment) -> Route {
    let route = Route(routes.count, key, environment, authority: configuration.endpoint(environment).authority)
    routes.append(route)
    return route
  }
}

extension PushReport {
  static func notSent(_ app: APNsApp, pause: Duration?, reason: String, outage: String? = nil) -> PushReport {
    var report = PushReport(
      verdict: .notSent(pause: pause), reason: reason, environment: app.environment, topic: app.topic)
    report.outage = outage
    return report
  }
}
