import FunctionKit

extension RawJSON {
  /// A provider's word, such as a reason; `nil` for any other value.
  ///
  /// Such a text is logged and stored, so a text that no provider would write is ignored.
  var word: String? { stringValue.flatMap { $0.isWord ? $0 : nil } }
}

extension StringProtocol {
  /// Whether it is visible ASCII of at most 100 characters.
  var isWord: Bool { (1...100).contains(utf8.count) && isVisibleASCII }

  /// Whether it can be part of a header field as it is.
  var isVisibleASCII: Bool { utf8.allSatisfy { (0x21...0x7E).contains($0) } }
}
