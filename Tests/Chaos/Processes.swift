import Foundation
import Glibc

/// A process as `/proc` shows it.
struct RunningProcess {
  let id: pid_t
  let parent: pid_t
  let arguments: [String]
  let environment: [String]
  let workingDirectory: String

  /// The program's name without its folder.
  var name: String { String(arguments.first?.split(separator: "/").last ?? "") }

  /// Whether a text occurs in what it was started with, or is where it works.
  func isMarked(by mark: String) -> Bool {
    (arguments + environment + [workingDirectory]).contains { $0.contains(mark) }
  }

  /// `nil` when it has ended, or belongs to somebody else.
  init?(_ id: pid_t) {
    guard let command = FileManager.default.contents(atPath: "/proc/\(id)/cmdline"), !command.isEmpty,
      let stat = FileManager.default.contents(atPath: "/proc/\(id)/stat")
    else { return nil }
    // The second field is the program's name in parentheses, which may hold anything.
    let text = String(decoding: stat, as: UTF8.self)
    let fields = text[(text.lastIndex(of: ")") ?? text.startIndex)...].split(separator: " ")
    guard fields.count > 2, fields[1] != "Z", let parent = pid_t(fields[2]) else { return nil }
    (self.id, self.parent) = (id, parent)
    arguments = Self.strings(command)
    environment = Self.strings(FileManager.default.contents(atPath: "/proc/\(id)/environ") ?? Data())
    workingDirectory = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(id)/cwd")) ?? ""
  }

  /// All but this one.
  static func all() -> [RunningProcess] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return names.compactMap { pid_t($0) }.filter { $0 != getpid() }.compactMap(RunningProcess.init)
  }

  private static func strings(_ bytes: Data) -> [String] {
    bytes.split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
  }
}
