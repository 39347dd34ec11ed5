import Foundation

extension RunningProgram {
  /// Whether no signal waits for the program and each of its threads waits for something, as `/proc/PID` says.
  package var isIdle: Bool {
    let folder = "/proc/\(processID)"
    let signals = Self.lines(of: "\(folder)/status").filter { $0.hasPrefix("SigPnd:") || $0.hasPrefix("ShdPnd:") }
    let threads = (try? FileManager.default.contentsOfDirectory(atPath: "\(folder)/task")) ?? []
    return signals.count == 2 && signals.allSatisfy { $0.drop { $0 != "\t" }.allSatisfy { "\t0".contains($0) } }
      && threads.allSatisfy { thread in
        Self.lines(of: "\(folder)/task/\(thread)/status").contains { $0.hasPrefix("State:\tS") }
      }
  }

  private static func lines(of path: String) -> [Substring] {
    ((try? String(contentsOfFile: path, encoding: .utf8)) ?? "").split(separator: "\n")
  }
}
