import Foundation
import FunctionKit

/// The project's own `functions.json`, in the working directory.
struct ProjectManifest {
  let text: String
  /// Their names, in the file's order.
  let functions: [String]

  static func read() throws -> ProjectManifest {
    guard let bytes = FileManager.default.contents(atPath: "functions.json") else {
      throw BenchmarkError("There is no functions.json here; start this from the project's folder.")
    }
    let functions = try RawJSON(validating: Array(bytes)[...])["functions"]?.members.map(\.name) ?? []
    return ProjectManifest(text: String(decoding: bytes, as: UTF8.self), functions: functions)
  }

  /// A manifest with a single function, as the project has it: the others take nothing of the machine.
  static func only(_ function: String) throws -> String {
    let project = try RawJSON(validating: Array(read().text.utf8)[...])
    guard let entry = project["functions"]?[function] else {
      throw BenchmarkError("functions.json has no \(function).")
    }
    let manifest = RawJSON(object: [("functions", RawJSON(object: [(function, entry)]))])
    return String(decoding: manifest.bytes, as: UTF8.self)
  }
}
