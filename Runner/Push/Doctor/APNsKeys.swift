import CLI
import FunctionKit
import Notifications
import PushLive

/// The part of APNs' configuration that the doctor needs.
struct APNsKeys {
  let probe: APNsProbe
  /// The environment of devices that name none.
  let environment: PushEnvironment
  private let configuration: APNsConfiguration

  /// Reads the environment; `nil` if APNs is not configured.
  init?(_ environment: Environment) throws(FunctionError) {
    guard APNsConfiguration.isWanted(by: environment) else { return nil }
    configuration = try APNsConfiguration(environment)
    self.environment = configuration.environment
    probe = APNsProbe(configuration)
  }

  /// The topic of an app's devices that name none; `nil` if none is configured.
  func topic(of app: String) -> String? { configuration.topic(of: app) }

  /// The key that serves a topic in an environment; `nil` if none does.
  func keyID(_ topic: String, _ environment: PushEnvironment) -> String? {
    configuration.key(for: topic, in: environment)?.keyID
  }

  /// Whether pushes go to Apple's own servers.
  var isForApple: Bool { configuration.isForApple }

  /// Whether pushes may go to an environment at all.
  func serve(_ environment: PushEnvironment) -> Bool {
    configuration.keys.contains { $0.environments.contains(environment) }
  }

  /// A line for each topic and environment that has a key, and one for each file.
  var findings: [Finding] {
    let topics = configuration.keys.reduce(into: configuration.allTopics) { $0.formUnion($1.topics ?? []) }
    let pairs = topics.sorted().flatMap { topic in
      PushEnvironment.allCases.compactMap { environment in
        keyID(topic, environment).map { Finding.ok("APNs", "key \($0) for \(topic) in \(environment.rawValue)") }
      }
    }
    let files = Set(
      configuration.keys.compactMap { key in key.path.map { CheckedKeyFile(path: $0, keyID: key.keyID) } })
    return pairs + files.sorted { $0.path < $1.path }.flatMap { $0.findings(named: "APNs key") }
  }
}
