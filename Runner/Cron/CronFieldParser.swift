/// Reads one field of a cron expression and says what is wrong with it.
struct CronFieldParser {
  let expression: String
  let field: CronField
  /// The field's name and place, for the person who wrote it: `hour (field 2 of 5)`.
  let place: String

  func values(of text: Substring, isLastOfMonth: inout Bool) throws(InvalidCronExpression) -> CronValues {
    var values: CronValues = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      if item.isEmpty { throw invalid("\(place) has an empty item in its list") }
      if item.lowercased() == "l" {
        guard field == .dayOfMonth else { throw invalid("L in \(place) is allowed in the day of month only") }
        isLastOfMonth = true
      } else {
        let (range, step) = try range(of: item)
        // Both 0 and 7 are Sunday.
        for value in stride(from: range.lowerBound, through: range.upperBound, by: step) {
          values.insert(field == .dayOfWeek ? value % 7 : value)
        }
      }
    }
    return values
  }

  private func range(of item: Substring) throws(InvalidCronExpression) -> (ClosedRange<Int>, step: Int) {
    let parts = item.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2 else { throw invalid("\"\(item)\" in \(place) has more than one step") }
    let step = parts.count == 2 ? try self.step(parts[1], of: item) : 1
    if parts[0] == "*" { return (field.bounds, step) }

    let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false)
    guard ends.count <= 2 else { throw invalid("\"\(item)\" in \(place) is not a range") }
    let first = try number(ends[0], in: item)
    guard ends.count == 2 else {
      guard parts.count == 1 else {
        let example = "\(ends[0])-\(field.bounds.upperBound)/\(parts[1])"
        throw invalid("the step of \"\(item)\" in \(place) needs a range, like \(example), or * before it")
      }
      return (first...first, step)
    }
    let last = try number(ends[1], in: item)
    guard first <= last else {
      let hint = field == .dayOfWeek && last == 0 ? "; a range that ends on Sunday ends with 7" : ""
      throw invalid("the range \"\(item)\" in \(place) runs backwards\(hint)")
    }
    return (first...last, step)
  }

  private func step(_ text: Substring, of item: Substring) throws(InvalidCronExpression) -> Int {
    guard let step = digits(text), (1...field.bounds.count).contains(step) else {
      throw invalid("the step of \"\(item)\" in \(place) is not a number from 1 to \(field.bounds.count)")
    }
    return step
  }

  private func number(_ text: Substring, in item: Substring) throws(InvalidCronExpression) -> Int {
    if let number = field.number(named: text) { return number }
    guard let number = digits(text) else {
      let hint = text == "?" ? "; write * for any" : ""
      throw invalid("\"\(item)\" in \(place) is not \(expectation)\(hint)")
    }
    guard field.bounds.contains(number) else {
      throw invalid("\(text) in \(place) is not within \(field.bounds.lowerBound) to \(field.bounds.upperBound)")
    }
    return number
  }

  private var expectation: String {
    switch field {
    case .month: "a number, a range, * or a name like jan"
    case .dayOfWeek: "a number, a range, * or a name like mon"
    case .dayOfMonth: "a number, a range, * or L"
    case .second, .minute, .hour: "a number, a range or *"
    }
  }

  private func digits(_ text: Substring) -> Int? {
    text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) ? Int(text) : nil
  }

  private func invalid(_ reason: String) -> InvalidCronExpression {
    InvalidCronExpression(expression: expression, reason: reason)
  }
}
