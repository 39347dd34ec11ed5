import FunctionKit
import Notifications

extension APNsSender {
  /// Where a push goes.
  func app(of push: QueuedPush) -> APNsApp {
    var app = home(of: push)
    if let probe = push.probe { app.environment = probe }
    return app
  }

  /// Where its device belongs; without a topic where none is known, and then nothing is sent.
  func home(of push: QueuedPush) -> APNsApp {
    APNsApp(
      environment: push.device.environment ?? configuration.environment,
      topic: push.device.topic ?? configuration.topic(of: push.device.app) ?? "")
  }

  /// The lane to an app; `nil` where no key is for it.
  func lane(for app: APNsApp) -> Lane? {
    if let place = places[app] { return place.map { lanes[$0] } }
    guard let key = configuration.key(for: app) else {
      places[app] = .some(nil)
      log.error(
        "No key is configured for an app; its deliveries are held",
        ["push.topic": app.topic, "push.environment": app.environment.rawValue])
      return nil
    }
    let lane = lanes.first { $0.id == key.tokenID(app.environment) } ?? newLane(key, app.environment)
    places[app] = lane.place
    return lane
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
      if let lane = lane(for: app) {
        lane.queue.append(PushQueue.Entry(batch: batch, index: index))
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

  /// Looks whether a key was replaced; its lanes then start afresh.
  func refreshKeys() {
    for key in configuration.keys {
      switch key.file.refresh() {
      case .none: continue
      case .unreadable:
        log.error("A key file holds no key; the one that was read before stays in use", ["push.key": key.keyID])
      case .replaced:
        log.info("A key file was replaced", ["push.key": key.keyID])
        for lane in lanes where lane.key.file === key.file {
          lane.token.forget()
          for connection in lane.connections { retire(connection, of: lane, "the key was replaced") }
          tell(breakers.lift(lane.id, at: moment))
        }
      }
    }
  }

  private func newLane(_ key: APNsKey, _ environment: PushEnvironment) -> Lane {
    let lane = Lane(lanes.count, key, environment, authority: configuration.endpoint(environment).authority)
    lanes.append(lane)
    return lane
  }
}

extension PushReport {
  static func notSent(_ app: APNsApp, pause: Duration?, reason: String) -> PushReport {
    PushReport(verdict: .notSent(pause: pause), reason: reason, environment: app.environment, topic: app.topic)
  }
}
