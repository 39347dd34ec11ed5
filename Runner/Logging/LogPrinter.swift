package import FunctionKit
import Glibc
import Synchronization
import System
import Terminal

/// Shows log lines and keeps them in a file.
///
/// A program gets the whole lines, a person gets short ones.
package struct LogPrinter: Sendable {
  package let isForPeople: Bool
  private let style: Style
  /// Lines of lower levels are left out; `nil` for all lines.
  private let least: LogLevel?
  private let file: LogFile?
  private let output: LineWriter
  private let hush = Hush()
  private let leftOut = LeftOut()

  /// - Parameter least: lines of lower levels are left out, those of functions, too; `nil` for all lines.
  package init(
    isForPeople: Bool = isatty(STDERR_FILENO) == 1, file: LogFile? = nil, descriptor: Int32 = STDERR_FILENO,
    least: LogLevel? = nil
  ) {
    (self.isForPeople, self.least) = (isForPeople, least)
    output = LineWriter(descriptor)
    self.file = file
    style = isForPeople ? .current(STDERR_FILENO) : Style(isColourful: false)
  }

  /// Writes a log's line.
  package func print(_ line: [UInt8]) {
    print(line[...], from: LogLine.runner)
  }

  /// Writes a line of a function or a service.
  ///
  /// Whatever stands in it, it stays one line, commands no terminal, and is a line of that program.
  package func print(_ line: ArraySlice<UInt8>, from origin: String) {
    let text = line.last == 0x0A ? line.dropLast() : line
    let line = LogLine(text, program: origin)
    if let least, least > .debug, let level = line.level, level < least { return }
    if isForPeople { show(line) } else { write("\(line.whole)\n") }
    file?.append(text, from: origin)
  }

  /// Whether people see only warnings and errors, while something else uses their terminal.
  package func keepQuiet(_ isQuiet: Bool) {
    hush.isOn.store(isQuiet, ordering: .relaxed)
  }

  /// Waits until every line is written, but not long for a terminal that is stopped.
  package func finish() async {
    await output.finish(within: .seconds(5))
    await file?.finish()
  }

  private func show(_ line: LogLine) {
    guard !line.isInfo || !hush.isOn.load(ordering: .relaxed) else { return }
    let width = TerminalWidth.current(of: STDERR_FILENO, columns: Environment.current()["COLUMNS"]) ?? 80
    write("\(line.short(columns: width, style))\n")
  }

  /// Says how many lines were left out before, if any were.
  private func write(_ text: String) {
    guard output.write(text.printable) else {
      leftOut.count.add(1, ordering: .relaxed)
      return
    }
    let count = leftOut.count.exchange(0, ordering: .relaxed)
    guard count > 0 else { return }
    Log { [self] in print($0) }.warning("Log lines were left out: nothing took them in time", ["lines": "\(count)"])
  }

  private final class LeftOut: Sendable {
    let count = Atomic(0)
  }

  private final class Hush: Sendable {
    let isOn = Atomic(false)
  }
}
