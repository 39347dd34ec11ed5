import FunctionKit
import Notifications
import PushLive

/// What the doctor needs to know of APNs' configuration; all that it takes from `APNsConfiguration` is taken here.
struct APNsKeys {
  let probe: APNsProbe
  /// The environment of devices that name none.
  let environment: PushEnvironment
  /// The topic of devices that name none.
  let topic: String
  private let configuration: APNsConfiguration

  /// Reads the environment; `nil` when nobody wants APNs.
  init?(_ environment: Environment) throws(FunctionError) {
    guard APNsConfiguration.isWanted(by: environment) else { return nil }
    configuration = try APNsConfiguration(environment)
    (self.environment, topic) = (configuration.environment, configuration.bundleID)
    probe = APNsProbe(configuration)
  }

  /// The key that serves a topic in an environment, `nil` when none does.
  func keyID(_ topic: String, _ environment: PushEnvironment) -> String? {
    configuration.key(for: topic, in: environment)?.keyID
  }

  /// Whether pushes may go to an environment at all.
  func serve(_ environment: PushEnvironment) -> Bool {
    configuration.keys.contains { $0.environments.contains(environment) }
  }

  /// A line for each topic and environment that has a key, and one for each file.
  var findings: [Finding] {
    let topics = configuration.keys.reduce(into: Set([topic])) { $0.formUnion($1.topics ?? []) }
    let pairs = topics.sorted().flatMap { topic in
      PushEnvironment.allCases.compactMap { environment in
        keyID(topic, environment).map { Finding.ok("APNs", "key \($0) for \(topic) in \(environment.rawValue)") }
      }
    }
    let files = Set(configuration.keys.map { KeyFile(path: $0.path, keyID: $0.keyID) })
    return pairs + files.sorted { $0.path < $1.path }.flatMap { $0.findings(named: "APNs key") }
  }
}
