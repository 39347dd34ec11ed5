package import FoundationEssentials
package import FunctionKit

// What pages take out of the documents of commands.
extension RawJSON {
  package var isTrue: Bool { bytes.elementsEqual("true".utf8) }

  package var isNull: Bool { kind == .null }

  /// A number exactly as it is written.
  package var numberText: String? { kind == .number ? String(decoding: bytes, as: UTF8.self) : nil }

  package var doubleValue: Double? { numberText.flatMap(Double.init) }

  package var dateValue: Date? { stringValue.flatMap(RFC3339.date) }

  package func string(_ name: String) -> String? { self[name]?.stringValue }
  package func date(_ name: String) -> Date? { self[name]?.dateValue }
}
