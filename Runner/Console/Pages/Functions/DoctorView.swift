import Documents

/// The findings of `runner doctor --json`.
struct DoctorView {
  let findings: [FindingDocument]

  var html: HTML {
    let missing = findings.count { !$0.ok }
    let warnings = findings.count { $0.ok && $0.warning }
    return HTML()
      + tag(.p, .class("callout \(missing > 0 ? "bad" : warnings > 0 ? "notice" : "good")")) {
        missing > 0
          ? missing == 1 ? "One thing is missing." : "\(missing) things are missing."
          : warnings > 0 ? "It works, with \(warnings == 1 ? "one warning" : "\(warnings) warnings")." : "All is well."
      }
      + table("Findings", ["result", "check", "detail"], class: "stack") {
        for finding in findings.sorted(by: { rank($0) < rank($1) }) {
          tag(.tr) {
            cell {
              switch rank(finding) {
              case 0: badge("missing", "bad")
              case 1: badge("warning", "notice")
              default: badge("ok", "good")
              }
            }
            tag(.th, .scope("row")) { name(finding.check) }
            cell("text") { name(finding.detail, longest: 2_000) }
          }
        }
      }
  }

  private func rank(_ finding: FindingDocument) -> Int { finding.ok ? finding.warning ? 1 : 2 : 0 }
}
