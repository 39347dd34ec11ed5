import Foundation

/// Searches by bytes. Regular expressions over every source would take most of the time of the rules: they look only at
/// lines that a search has found.
extension StringProtocol {
  /// Whether a text is somewhere in this one.
  func has(_ text: String) -> Bool { offset(of: text, from: 0) != nil }

  /// Whether a text is somewhere in this one, and not as a part of a longer word.
  func hasWord(_ word: String) -> Bool {
    var next = 0
    while let start = offset(of: word, from: next) {
      next = start + 1
      let isWhole = withBytes { bytes in
        let end = start + word.utf8.count
        let isOpen = start > 0 && isOfWord(bytes[start]) && isOfWord(bytes[start - 1])
        return !isOpen && !(end < bytes.count && isOfWord(bytes[end - 1]) && isOfWord(bytes[end]))
      }
      if isWhole { return true }
    }
    return false
  }

  /// The lines.
  var lines: [SubSequence] {
    withBytes { bytes in
      var (lines, start) = ([SubSequence](), 0)
      while start < bytes.count, let base = bytes.baseAddress {
        let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
        let end = found.map { UnsafeRawPointer($0) - UnsafeRawPointer(base) } ?? bytes.count
        lines.append(slice(start, end))
        start = end + 1
      }
      return lines
    }
  }

  /// The lines that have one of these texts.
  func lines(with texts: String...) -> [SubSequence] {
    let texts = texts.filter(has)
    return texts.isEmpty ? [] : lines.filter { line in texts.contains { line.has($0) } }
  }

  /// Letters, digits and underscores side by side, each with what stands between it and the one before; an empty one at
  /// the end.
  var words: [(gap: SubSequence, word: SubSequence)] {
    withBytes { bytes in
      var words: [(gap: SubSequence, word: SubSequence)] = []
      var (last, isOpen) = (0, true)
      while isOpen {
        var start = last
        while start < bytes.count, !isOfWord(bytes[start]) { start += 1 }
        var end = start
        while end < bytes.count, isOfWord(bytes[end]) { end += 1 }
        words.append((slice(last, start), slice(start, end)))
        (last, isOpen) = (end, end > start)
      }
      return words
    }
  }

  /// The texts in parentheses directly after a text, wherever it is.
  func parentheses(after text: String) -> [SubSequence] {
    var (found, next) = ([SubSequence](), 0)
    while let start = offset(of: "\(text)(", from: next) {
      next = start + text.utf8.count + 1
      let end = withBytes { bytes in
        var (depth, end) = (1, next)
        while end < bytes.count, depth > 0 {
          depth += bytes[end] == UInt8(ascii: "(") ? 1 : bytes[end] == UInt8(ascii: ")") ? -1 : 0
          end += 1
        }
        return end - 1
      }
      found.append(slice(next, end))
    }
    return found
  }

  private func offset(of text: String, from start: Int) -> Int? {
    withCString { bytes in strstr(bytes + start, text).map { UnsafePointer($0) - bytes } }
  }

  private func slice(_ start: Int, _ end: Int) -> SubSequence {
    self[utf8.index(utf8.startIndex, offsetBy: start)..<utf8.index(utf8.startIndex, offsetBy: end)]
  }

  private func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    utf8.withContiguousStorageIfAvailable(body) ?? Array(utf8).withUnsafeBufferPointer(body)
  }
}

private func isOfWord(_ byte: UInt8) -> Bool {
  let letter = byte | 0x20
  return (letter >= 0x61 && letter <= 0x7A) || (byte >= 0x30 && byte <= 0x39) || byte == 0x5F
}
