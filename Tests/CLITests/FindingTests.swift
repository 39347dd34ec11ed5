import Testing

@testable import CLI

/// The output of doctors.
struct FindingTests {
  private static let findings: [Finding] = [
    .ok("tables", "there"), .missing("key", "the file is open to everybody: chmod 600 /etc/AuthKey_ABC123DEFG.p8"),
  ]

  @Test func aNarrowTerminalLosesNoWord() {
    #expect(
      Finding.text(Self.findings, width: 44) == """
                 check   detail
        ok       tables  there
        MISSING  key     the file is open to
                         everybody: chmod 600
                         /etc/AuthKey_ABC123DEFG.p8
        """)
  }

  @Test func aProgramGetsALineEach() {
    #expect(Finding.text(Self.findings, width: nil).split(separator: "\n").count == 3)
  }
}
