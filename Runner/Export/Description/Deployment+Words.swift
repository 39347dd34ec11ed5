import FunctionKit
import HTTP1
import Manifest

// Words of functions.json that stand in files of other languages: in shell, YAML, Dockerfiles and patterns of nginx.
extension Deployment {
  /// - Throws: ``FunctionError/Code/misconfigured`` with the place of a word that could mean something else there.
  static func checkWords(of manifest: Manifest) throws(FunctionError) {
    for function in manifest.functions {
      let place = "functions.json: functions.\(function.name)"
      if let path = function.executable, function.target == nil { try check(path, isPath, "\(place).executable") }
      for name in function.environment { try check(name, isVariable, "\(place).environment") }
      if let name = function.http.secret { try check(name, isVariable, "\(place).triggers") }
      for route in function.http.routes { try check(route.description, isRoute, "\(place).triggers") }
    }
    for folder in manifest.migrations { try checkMigrations(folder.path, of: manifest) }
    for command in manifest.commands {
      try check(command.executable, isPath, "functions.json: commands.\(command.name).executable")
    }
  }

  /// Images and packages have the folder of `functions.json` and what lies below it.
  private static func checkMigrations(_ path: String, of manifest: Manifest) throws(FunctionError) {
    let isBelow = path.hasPrefix("\(manifest.directory)/") && !path.split(separator: "/").contains("..")
    guard isBelow else {
      throw FunctionError(
        .misconfigured,
        "functions.json: migrations has \(path), which is not below \(manifest.directory): an image would lack it. "
          + "Put the folder there.")
    }
    try check(String(path.dropFirst(manifest.directory.count + 1)), isPath, "functions.json: migrations")
  }

  private static func check(_ word: String, _ rule: (String) -> Bool, _ place: String) throws(FunctionError) {
    guard !rule(word) else { return }
    let quoted = String(decoding: RawJSON(word).bytes, as: UTF8.self)
    throw FunctionError(.misconfigured, "\(place) has \(quoted), which an export cannot write plainly.")
  }

  private static func isPath(_ text: String) -> Bool {
    text.utf8.first != UInt8(ascii: "-") && has(text, "._/-") && !text.split(separator: "/").contains("..")
  }

  private static func isVariable(_ text: String) -> Bool {
    text.utf8.first.map { !(0x30...0x39).contains($0) } == true && has(text, "_")
  }

  private static func isRoute(_ text: String) -> Bool { has(text, " /{}._~:@+,=-") }

  /// Whether a text has ASCII letters, digits, these others, and nothing else.
  static func has(_ text: String, _ others: String) -> Bool {
    !text.isEmpty
      && text.utf8.allSatisfy {
        (0x61...0x7A).contains($0) || (0x41...0x5A).contains($0) || (0x30...0x39).contains($0)
          || others.utf8.contains($0)
      }
  }
}
