/// Passes on what a function writes on stderr, line by line, and keeps the last of it for the record.
@RunnerLoop
final class StderrRelay {
  /// A line longer than this is cut.
  static let longestLine = 16_384
  /// An invocation that writes more than this is not passed on any further.
  static let mostPerInvocation = 262_144
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
    passedOn += bytes.count
    guard passedOn <= Self.mostPerInvocation else {
      if passedOn - bytes.count <= Self.mostPerInvocation { emit(Array("… more on stderr is left out".utf8)[...]) }
      unfinished = []
      return
    }
    unfinished += bytes
    while let end = unfinished.firstIndex(of: 0x0A) {
      emit(unfinished[..<end].prefix(Self.longestLine))
      unfinished.removeSubrange(...end)
    }
    if unfinished.count > Self.longestLine { finish() }
  }

  /// Passes on a last line without an end.
  func finish() {
    if !unfinished.isEmpty { emit(unfinished.prefix(Self.longestLine)) }
    unfinished = []
  }
}
