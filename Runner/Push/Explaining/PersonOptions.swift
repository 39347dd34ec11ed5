import CLI
import Documents
import FunctionKit

/// The options that choose which part of what is known of a person is listed.
enum PersonOptions {
  static let before = Option<DecisionPlace>(
    "--before", "PLACE", "of a person: the decisions that come after a list, by the \"next\" of its --json",
    read: DecisionPlace.read)
  static let outcome = Option<DecisionOutcome>.choice(
    "--outcome", "OUTCOME",
    "of a person: only decisions with it: \(DecisionOutcome.allCases.map(\.rawValue).joined(separator: ", "))")
  static let devicesAfter = Option<DevicePlace>(
    "--devices-after", "PLACE", "of a person's --app: the devices that come next, by \"nextDevices\" of --json",
    read: DevicePlace.read)

  /// - Throws: ``FunctionError/Code/usage`` for a place of devices without an app, whose device it is.
  static func choice(_ arguments: CommandArguments, hasApp: Bool) throws(FunctionError) -> PersonChoice {
    guard hasApp || arguments[devicesAfter] == nil else {
      throw FunctionError(.usage, "--devices-after needs --app.")
    }
    return PersonChoice(
      before: arguments[before], outcome: arguments[outcome], devicesAfter: arguments[devicesAfter])
  }
}
