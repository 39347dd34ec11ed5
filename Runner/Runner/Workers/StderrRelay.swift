/// Passes on what a function writes on stderr, line by line, and keeps the last of it for the record.
@RunnerLoop
final class StderrRelay {
  /// A line longer than this is cut.
  static let longestLine = 16_384
  /// An invocation that writes more than this is not passed on any further.
  static let mostPerInvocation = 262_144
  /// A short line counts as so many bytes: each costs a write of its own.
  static let leastPerLine = 64
  private static let tailSize = 2_048

  private let emit: @RunnerLoop (ArraySlice<UInt8>) -> Void
  private var unfinished: [UInt8] = []
  private var tailBytes: [UInt8] = []
  private var passedOn = 0

  init(emit: @escaping @RunnerLoop (ArraySlice<UInt8>) -> Void) {
    self.emit = emit
  }

  /// The end of what was written since the last ``reset()``.
  var tail: String { String(decoding: tailBytes.suffix(Self.tailSize), as: UTF8.self) }

  func reset() {
    tailBytes = []
    passedOn = 0
  }

  func receive(_ bytes: ArraySlice<UInt8>) {
    tailBytes = (tailBytes + bytes.suffix(Self.tailSize)).suffix(Self.tailSize)
    guard !isCut else { return }
    unfinished += bytes
    var rest = unfinished[...]
    while let end = rest.firstIndex(of: 0x0A) {
      pass(rest[..<end])
      rest = rest[(end + 1)...]
      if isCut { rest = [] }
    }
    unfinished = Array(rest)
    if unfinished.count > Self.longestLine { finish() }
  }

  /// Passes on a last line without an end.
  func finish() {
    if !unfinished.isEmpty { pass(unfinished[...]) }
    unfinished = []
  }

  private var isCut: Bool { passedOn > Self.mostPerInvocation }

  private func pass(_ line: ArraySlice<UInt8>) {
    guard !isCut else { return }
    passedOn += max(line.count, Self.leastPerLine)
    emit(isCut ? Array("… more on stderr is left out".utf8)[...] : line.prefix(Self.longestLine))
  }
}
