import Foundation
import FunctionKit
import Postgres
import TestSupport
import Testing

extension ClockTests {
  @Test func idleTicksAreSkippedAndAllOthersRunInTheirMinute() async throws {
    let minutes = #""triggers":[{"schedule":"* * * * *"}],"executable":"tick.sh""#
    let runner = try await runner(
      #""tick":{\#(minutes),"rehearses":true},"other":{\#(minutes),"rehearses":true},"# + Self.hourly,
      scripts: [
        "note.sh": Self.note,
        // At 02:30, 02:31 and 04:00 there is something to do.
        "tick.sh": #"""
        case "$*" in *--dry-run*) log=asked ;; *) log=ran ;; esac
        while IFS= read -r line; do
          id=${line#*'"id":"'}; id=${id%%'"'*}; now=${line#*'"now":"'}; now=${now%%'"'*}; n=0
          case "$id" in tick@*T02:3[01]* | other@*T04:00*) n=1 ;; esac
          echo "$id $n $now" >> $log
          echo "{\"id\":\"$id\",\"exit\":0,\"result\":{\"notified\":$n,\"counts\":{},\"function\":\"tick 1\"}}"
        done
        """#,
      ])
    _ = try await runner.run(["migrate"])
    _ = try await clock(runner, "set", "2027-01-01T00:30:00Z")
    _ = try await runner.start()
    try await runner.wait(until: "SELECT count(next_at) = 3 FROM runner.schedules")

    let lines = try await clock(runner, "advance", "6h", "--all")

    let ticks = lines.filter { $0["kind"]?.stringValue == "schedule" }
    for (name, count) in [("tick", 360), ("other", 360), ("note", 6)] {
      let own = ticks.filter { $0["function"]?.stringValue == name }
      #expect((count...count + 1).contains(own.count), "\(name)")
      #expect(Set(own.compactMap { $0["event"]?.stringValue }).count == own.count)
    }
    #expect(ticks.map(minute) == ticks.map(minute).sorted())
    let log = try String(contentsOfFile: "\(runner.project.path)/ran", encoding: .utf8).split(separator: "\n")
    let ran = log.map { $0.split(separator: " ") }
    let effective = ran.filter { $0[1] == "1" }
    #expect(
      effective.map { "\($0[0].prefix { $0 != "@" }) \($0[2].prefix(16))" } == [
        "tick 2027-01-01T02:30", "tick 2027-01-01T02:31", "other 2027-01-01T04:00",
      ])
    #expect(ran.count < 100, "what has nothing to do need not run")
    let hours = try runner.got().compactMap { $0["now"]?.stringValue?.prefix(16) }
    #expect(hours == (1...6).map { "2027-01-01T0\($0):00" })
    let fires = try await runner.database.query(
      "SELECT count(*) AS fires FROM runner.schedule_fires WHERE schedule IN ('tick', 'other')"
    ).only()
    #expect((720...722).contains(try fires.decode("fires", as: Int.self)))
    #expect(try await clock(runner, "advance", "10m").dropLast().isEmpty, "ticks without anything to do are not shown")
  }
}
