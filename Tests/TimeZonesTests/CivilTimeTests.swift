import Formats
import Testing
import TimeZones

struct CivilTimeTests {
  @Test func aSecondBeforeTheEpochIsTheLastOfItsDay() {
    let time = CivilTime(secondsSinceEpoch: -1)

    #expect(time.date == CivilDate(year: 1969, month: 12, day: 31))
    #expect([time.hour, time.minute, time.second] == [23, 59, 59])
    #expect(time.secondsSinceEpoch == -1)
  }
}
