import FoundationEssentials
package import FunctionKit
import Locales
package import Notifications

extension Texts {
  /// The variable with the folder of an app's own texts: files such as `de.strings`.
  package static let variable = "PUSH_LANGUAGES"

  /// Adds the texts of the folder that the environment names; each file is read when somebody is first told something in
  /// its language, as the runner reads it when it checks `functions.json`.
  package static func add(of environment: Environment) {
    guard let folder = environment[variable], !folder.isEmpty else { return }
    let end = ".strings"
    add(of: {
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return files.filter { $0.hasSuffix(end) }.map { String($0.dropLast(end.count)) }
    }) { tag in
      try? RegularFile.text(of: "\(folder)/\(tag)\(end)", limit: TextCatalogue.largestFile)
    }
  }
}
