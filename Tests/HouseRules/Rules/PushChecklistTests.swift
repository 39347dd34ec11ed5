import Testing

/// Every point of the checklist has tests that are there.
struct PushChecklistTests {
  @Test func everyPointHasTestsThatExist() throws {
    let suites = try Dictionary(
      House.swiftFiles("Tests").map { path in
        (String(path.split(separator: "/").last?.dropLast(".swift".count) ?? ""), try House.text(path))
      }, uniquingKeysWith: { $0 + $1 })

    #expect(PushChecklist.points.count == 30)
    for point in PushChecklist.points {
      #expect(!point.tests.isEmpty, "\(point.rule)")
      for test in point.tests {
        let parts = test.split(separator: "/")
        #expect(suites[String(parts[0])]?.has("func \(parts[1])(") == true, "\(test)")
      }
    }
  }
}
