import FunctionKit
import Notifications
import PushLive

/// What the doctor needs to know of APNs' configuration; all that it takes from `APNsConfiguration` is taken here.
struct APNsKeys {
  /// A key for pushes of a topic in an environment.
  struct Pair: Hashable {
    var topic: String
    var environment: PushEnvironment
    var keyID: String
  }

  let pairs: [Pair]
  let probe: APNsProbe
  /// The environment of devices that name none.
  let environment: PushEnvironment
  /// The topic of devices that name none.
  let topic: String
  private let files: [KeyFile]

  /// Reads the environment; `nil` when nobody wants APNs.
  init?(_ environment: Environment) throws(FunctionError) {
    guard APNsConfiguration.isWanted(by: environment) else { return nil }
    let configuration = try APNsConfiguration(environment)
    (self.environment, topic) = (configuration.environment, configuration.bundleID)
    probe = APNsProbe(configuration)
    pairs = [Pair(topic: topic, environment: self.environment, keyID: configuration.keyID)]
    files = environment["APNS_KEY_PATH"].map { [KeyFile(path: $0, keyID: configuration.keyID)] } ?? []
  }

  /// The key that serves a topic in an environment, `nil` when none does.
  func keyID(_ topic: String, _ environment: PushEnvironment) -> String? {
    // The only key there is serves all topics and both environments.
    pairs.first { $0.topic == topic && $0.environment == environment }?.keyID ?? pairs.first?.keyID
  }

  var findings: [Finding] {
    pairs.map { .ok("APNs", "key \($0.keyID) for \($0.topic) in \($0.environment.rawValue)") }
      + files.flatMap { $0.findings(named: "APNs key") }
  }
}
