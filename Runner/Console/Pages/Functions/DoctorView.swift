import FunctionKit

/// What `runner doctor --json` has found.
struct DoctorView {
  let findings: RawJSON

  var html: HTML {
    let lines = findings.elements ?? []
    let missing = lines.filter { !isOK($0) }.count
    let warnings = lines.filter { isOK($0) && isWarning($0) }.count
    return HTML()
      + tag(.p, .class("callout \(missing > 0 ? "bad" : warnings > 0 ? "notice" : "good")")) {
        missing > 0
          ? "\(missing) things are missing." : warnings > 0 ? "It works, with \(warnings) warnings." : "All is well."
      }
      + table("Findings", ["result", "check", "detail"]) {
        for line in lines.sorted(by: { rank($0) < rank($1) }) {
          tag(.tr) {
            cell {
              isOK(line) ? isWarning(line) ? badge("warning", "notice") : badge("ok", "good") : badge("missing", "bad")
            }
            tag(.th, .scope("row")) { name(line["check"]?.stringValue ?? "") }
            cell("text") { name(line["detail"]?.stringValue ?? "", longest: 2_000) }
          }
        }
      }
  }

  private func isOK(_ line: RawJSON) -> Bool { line["ok"]?.isTrue ?? false }
  private func isWarning(_ line: RawJSON) -> Bool { line["warning"]?.isTrue ?? false }
  private func rank(_ line: RawJSON) -> Int { isOK(line) ? isWarning(line) ? 1 : 2 : 0 }
}
