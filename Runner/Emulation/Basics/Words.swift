/// The words of a command line, taken one after the other.
package struct Words {
  private var rest: ArraySlice<String>

  package init(_ words: some Collection<String>) {
    rest = Array(words)[...]
  }

  package mutating func next() -> String? { rest.popFirst() }

  package mutating func value(of option: String) throws(EmulatorError) -> String {
    guard let value = rest.popFirst(), !value.isEmpty else { throw .usage("\(option) takes a value.") }
    return value
  }

  package mutating func number(of option: String, in range: ClosedRange<Int>) throws(EmulatorError) -> Int {
    guard let number = Int(try value(of: option)), range.contains(number) else {
      throw .usage("\(option) takes a number from \(range.lowerBound) to \(range.upperBound).")
    }
    return number
  }
}
