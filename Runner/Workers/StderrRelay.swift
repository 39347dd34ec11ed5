import FunctionKit
import Glibc
import Manifest
package import System
import Tracing

/// Passes on what a function writes on stderr, line by line, and keeps the last of it, and how far it says that it has
/// come, for the record.
@RunnerLoop
package final class StderrRelay {
  /// A line longer than this is cut.
  static let longestLine = 16_384
  /// An invocation that writes more than this is not passed on any further.
  static let mostPerInvocation = 262_144
  /// A shorter line counts as this many bytes: each costs a write of its own.
  static let leastPerLine = 64
  private static let tailSize = 2_048

  private let emit: @RunnerLoop (ArraySlice<UInt8>) -> Void
  private let onSpan: (@RunnerLoop (ArraySlice<UInt8>) -> Void)?
  private var spanLines = SpanLines()
  private var unfinished: [UInt8] = []
  private var tailBytes: [UInt8] = []
  private var passedOn = 0
  private var event: String?
  /// The highest counts of events that are in hand with it, or were.
  private var others: [String: Int64] = [:]
  /// The highest count that a line of the event in hand has under `progress`.
  package private(set) var progress: Int64 = 0

  /// - Parameter spans: gets the spans among the lines, which are passed on nowhere else.
  package init(
    spans: (@RunnerLoop (ArraySlice<UInt8>) -> Void)? = nil, emit: @escaping @RunnerLoop (ArraySlice<UInt8>) -> Void
  ) {
    (onSpan, self.emit) = (spans, emit)
  }

  /// The end of what was written since the last ``reset(for:)``.
  package var tail: String { String(decoding: tailBytes.suffix(Self.tailSize), as: UTF8.self) }

  /// Takes note that what is written from now on is about something else: an event of that id.
  package func reset(for event: String? = nil) {
    tailBytes = []
    passedOn = 0
    (self.event, progress) = (event, event.flatMap { others.removeValue(forKey: $0) } ?? 0)
  }

  package func receive(_ bytes: ArraySlice<UInt8>) {
    guard let onSpan else { return receiveText(bytes) }
    let text = spanLines.take(bytes) { onSpan($0) }
    if !text.isEmpty { receiveText(text) }
  }

  private func receiveText(_ bytes: ArraySlice<UInt8>) {
    tailBytes = (tailBytes + bytes.suffix(Self.tailSize)).suffix(Self.tailSize)
    // What is left out is still looked through where it may say how far the function has come.
    if isCut, !Self.mayTellProgress(bytes) { return unfinished = [] }
    unfinished += bytes
    var rest = unfinished[...]
    while let end = rest.lineEnd {
      pass(rest[..<end])
      rest = rest[(end + 1)...]
    }
    unfinished = Array(rest)
    if unfinished.count > Self.longestLine { passRest() }
  }

  /// Passes on a last line without an end.
  package func finish() {
    if onSpan != nil { receiveText(spanLines.finish()[...]) }
    passRest()
  }

  private func passRest() {
    if !unfinished.isEmpty { pass(unfinished[...]) }
    unfinished = []
  }

  private var isCut: Bool { passedOn > Self.mostPerInvocation }

  private func pass(_ line: ArraySlice<UInt8>) {
    note(line)
    guard !isCut else { return }
    passedOn += max(line.count, Self.leastPerLine)
    emit(isCut ? Array("… more on stderr is left out".utf8)[...] : line.prefix(Self.longestLine))
  }

  /// A line that names another event says nothing of this one: the other is in the same batch, or the line comes late.
  private func note(_ line: ArraySlice<UInt8>) {
    guard Self.mayTellProgress(line), let members = try? RawJSON.members(validating: line),
      let count = members.first(where: { $0.name == "progress" })?.value.intValue
    else { return }
    let named = members.first { $0.name == "event.id" }?.value.stringValue
    if let named, named != event {
      guard others.count < FunctionEntry.largestBatch || others[named] != nil else { return }
      others[named] = max(others[named] ?? 0, Int64(count))
    } else {
      progress = max(progress, Int64(count))
    }
  }

  private static func mayTellProgress(_ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var rest = bytes[...]
      // Quickly, because it is asked of every line.
      while rest.count >= marker.count, let start = UnsafeRawBufferPointer(rebasing: rest).baseAddress,
        let quote = memchr(start, CInt(marker[0]), rest.count - marker.count + 1)
      {
        if memcmp(quote, marker, marker.count) == 0 { return true }
        rest = rest.dropFirst(UnsafeRawPointer(quote) - start + 1)
      }
      return false
    }
  }

  private static let marker = Array("\"progress\"".utf8)
}
