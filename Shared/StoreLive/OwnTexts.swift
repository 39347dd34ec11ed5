import FoundationEssentials
package import FunctionKit
package import Notifications

extension Texts {
  /// The variable with the folder of an app's own texts: files such as `de.strings`.
  package static let variable = "PUSH_LANGUAGES"

  /// Adds the texts of the folder that the environment names; each file is read when somebody is first told something in
  /// its language.
  package static func add(of environment: Environment) {
    guard let folder = environment[variable], !folder.isEmpty else { return }
    add { tag in try? String(contentsOfFile: "\(folder)/\(tag).strings", encoding: .utf8) }
  }
}
