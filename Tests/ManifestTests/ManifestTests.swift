import Foundation
import TestSupport
import Testing

@testable import Manifest

struct ManifestTests {
  private func manifest(_ text: String) throws -> Manifest {
    try Manifest(text: Array(text.utf8), file: "functions.json", directory: "/project")
  }

  @Test func aByteOrderMarkBeforeTheFileIsIgnored() throws {
    #expect(try manifest("\u{FEFF}{\"functions\":{\"a\":{}}}").functions.map(\.name) == ["a"])
    #expect { try manifest("\u{FEFF}\n{") } throws: { ($0 as? ManifestError)?.line == 2 }
  }

  @Test func readsAFunctionWithAllItsSettings() throws {
    let entry = try #require(
      try manifest(
        #"""
        {"functions":{"vote-cast":{"triggers":[{"table":"app.votes","events":["UPDATE","INSERT"],"columns":["a"],
            "where":{"origin":"app"}},{"schedule":"0 9 * * 1-5","timezone":"Europe/Berlin","catchup":"none"},{"notify":"deliveries"}],
          "key":"feedback_id","mode":"oneshot","concurrency":3,"connections":4,"timeout":5,"attempts":4,
          "environment":["DATABASE_URL"],"sample":"s.json","executable":"run.sh"}}}
        """#)["vote-cast"])

    #expect(entry.triggers.count == 3)
    #expect(
      entry.triggers[0]
        == .table(
          TableTrigger(
            schema: "app", table: "votes", operations: [.update, .insert], columns: ["a"], filter: ["origin": "app"])))
    #expect(entry.triggers[2] == .notify(NotifyTrigger(table: "deliveries")))
    #expect(entry.mode == .oneshot)
    #expect((entry.concurrency, entry.connections, entry.timeout, entry.attempts) == (3, 4, 5, 4))
    #expect((entry.key, entry.sample, entry.executable) == ("feedback_id", "s.json", "run.sh"))
    #expect(entry.environment == ["DATABASE_URL"])
  }

  @Test func readsAFunctionThatRunsElsewhere() throws {
    let functions = try manifest(
      #"""
      {"functions":{"a":{"url":"https://${HOST}/a?k=${KEY}","headers":{"X-Key":"${KEY}","X":"y"},"secret":"SECRET",
        "aws":{"region":"eu-central-1"},"concurrency":1000,"certificates":"ca.pem","batch":100},
        "b":{"url":"http://b/","engine":"openfaas"},"c":{"url":"http://c/","engine":"knative"},
        "d":{"url":"http://d/","engine":"openfaas","cloudevents":"binary"}}}
      """#
    ).functions
    let target = try #require(functions[0].target)

    #expect(target.url.text(["HOST": "h", "KEY": "1"]) == "https://h/a?k=1")
    #expect(target.headers.map(\.name) == ["X-Key", "X"])
    #expect((target.secret, target.region, target.certificates) == ("SECRET", "eu-central-1", "ca.pem"))
    #expect(
      functions[0].environment
        == ["HOST", "KEY", "SECRET", "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"])
    #expect(functions[0].optional == ["AWS_SESSION_TOKEN"])
    #expect((functions[0].batch, functions[0].eventsOfKey) == (100, 1))
    #expect(functions.map(\.concurrency) == [1_000, 16, 16, 16])
    #expect(functions.compactMap { $0.target?.format } == [.binary, .structured, .binary, .binary])
    #expect(functions.compactMap { $0.target?.engine } == [.http, .openfaas, .knative, .openfaas])
  }

  @Test(arguments: [
    (#""url":"ftp://h/""#, "functions.a.url must begin with http://, https:// or a variable"),
    (#""url":"https://${HOST""#, "functions.a.url has a \"${\" without a variable's name"),
    (#""url":"https://${1}/""#, "functions.a.url has a \"${\" without a variable's name"),
    (#""url":"https://h/","engine":"knative","batch":8"#, "functions.a.batch is a list of events"),
    (#""url":"https://h/","mode":"warm""#, "functions.a.mode is for processes, but the function has a \"url\""),
    (#""url":"https://h/","connections":2"#, "functions.a.connections is for processes"),
    (#""url":"https://h/","executable":"a""#, "functions.a.executable is for processes"),
    (#""url":"https://h/","rehearses":true"#, "functions.a.rehearses is for processes"),
    (#""url":"https://h/","environment":["A"]"#, "functions.a.environment is for processes"),
    (#""url":"https://h/","concurrency":1001"#, "functions.a.concurrency must be a whole number of requests from 1 to"),
    (#""url":"https://h/","engine":"lambda""#, "functions.a.engine must be one of http, openfaas, knative"),
    (#""url":"https://h/","headers":{"Content-Length":"1"}"#, "headers.Content-Length is not a header field that"),
    (#""url":"https://h/","headers":{"ce-id":"1"}"#, "headers.ce-id is not a header field that may be set"),
    (#""url":"https://h/","headers":{"X Y":"1"}"#, "headers.X Y is not a header field that may be set"),
    (#""url":"https://h/","aws":{}"#, "functions.a.aws has no \"region\""),
    (#""engine":"http""#, "functions.a.engine is for functions with a \"url\""),
    (#""headers":{}"#, "functions.a.headers is for functions with a \"url\""),
  ])
  func whatIsWrongWithAFunctionElsewhereIsNamed(members: String, sentence: String) throws {
    let error = #expect(throws: ManifestError.self) { try manifest(#"{"functions":{"a":{\#(members)}}}"#) }
    #expect(error.map { "\($0)".contains(sentence) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func eventsOfOneKeyShareABatchUnlessAFailedOneBlocks() throws {
    let functions = try manifest(
      #"""
      {"functions":{"a":{"batch":64},"b":{"triggers":[{"table":"v","events":["INSERT"]}],"key":"k","batch":64,
        "onFailure":"block"},"c":{}}}
      """#
    ).functions

    #expect(functions.map(\.batch) == [64, 64, nil])
    #expect(functions.map(\.eventsOfKey) == [64, 1, 1])
  }

  @Test func namesTheViewsOfItsMetrics() throws {
    let views = try manifest(#"{"functions":{},"metrics":["push_deliveries","app.seats"]}"#).metrics

    #expect(views == [MetricsView(name: "push_deliveries"), MetricsView(schema: "app", name: "seats")])
  }

  @Test func readsItsPanelsInTheirOrder() throws {
    let panels = try manifest(
      #"""
      {"functions":{},"commands":{"people":{"executable":"p"}},"panels":{
        "people":{"command":"people","kind":"people"},"phones":{"command":"people","kind":"phones","title":"Screens"}}}
      """#
    ).panels

    #expect(panels.map(\.title) == ["People", "Screens"] && panels.map(\.kind) == [.people, .phones])
  }

  @Test func readsWhichCommandsStayForTheNextPage() throws {
    let commands = try manifest(
      #"{"functions":{},"commands":{"a":{"executable":"p","mode":"warm"},"b":{"executable":"p","mode":"oneshot"},"c":{"executable":"p"}}}"#
    ).commands
    let error = #expect(throws: ManifestError.self) {
      try manifest(#"{"functions":{},"commands":{"a":{"executable":"p","mode":"discard"}}}"#)
    }

    #expect(commands.map(\.isWarm) == [true, false, false])
    #expect(error.map { "\($0)".contains("commands.a.mode must be one of warm, oneshot") } == true)
  }

  @Test func readsItsExperimentsInTheirOrder() throws {
    let bundle = try manifest(
      #"""
      {"title":"Shop","functions":{},"commands":{"p":{"executable":"p"}},"panels":{"people":{"command":"p","kind":"people"}},
        "experiments":{"vote":{"sql":["INSERT","INTO v;"],"summary":"Ada is told.","look":"people"},
          "night":{"title":"Go on","clock":"22:05"}}}
      """#)

    #expect(bundle.givenTitle == "Shop")
    #expect(
      bundle.experiments == [
        Experiment(name: "vote", title: "Vote", summary: "Ada is told.", sql: "INSERT\nINTO v;", panel: "people"),
        Experiment(name: "night", title: "Go on", minute: 22 * 60 + 5),
      ])
  }

  @Test(arguments: [
    ("{}", "experiments.a has neither \"sql\" nor \"clock\""), (#"{"sql":"x"}"#, "experiments.a.sql must be an array"),
    (#"{"clock":"24:00"}"#, "experiments.a.clock must be a time of the day"),
    (#"{"clock":"+1:00"}"#, "experiments.a.clock must be a time of the day"),
    (#"{"clock":"07:00","look":"people"}"#, "experiments.a.look must be one of \"panels\""),
    (#"{"sql":[],"run":1}"#, "experiments.a.run is not known"),
  ])
  func whatIsWrongWithAnExperimentIsNamed(entry: String, sentence: String) throws {
    let error = #expect(throws: ManifestError.self) { try manifest(#"{"functions":{},"experiments":{"a":\#(entry)}}"#) }
    #expect(error.map { "\($0)".contains(sentence) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    (#""kind":"people""#, "panels.a has no \"command\""), (#""command":"c""#, "panels.a has no \"kind\""),
    (#""command":"d","kind":"people""#, "panels.a.command must be one of \"commands\""),
    (#""command":"c","kind":"graph""#, "panels.a.kind must be one of people, explain, phones"),
  ])
  func whatIsWrongWithAPanelIsNamed(members: String, sentence: String) {
    let error = #expect(throws: ManifestError.self) {
      try manifest(#"{"functions":{},"commands":{"c":{"executable":"e"}},"panels":{"a":{\#(members)}}}"#)
    }
    #expect(error.map { "\($0)".contains(sentence) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: ["find", "dead", "assets"]) func noPanelHidesAPageOfTheConsole(name: String) {
    let error = #expect(throws: ManifestError.self) {
      try manifest(
        #"{"functions":{},"commands":{"c":{"executable":"e"}},"panels":{"\#(name)":{"command":"c","kind":"people"}}}"#)
    }
    let sentence = "panels.\(name) is the name of a page that every console has"
    #expect(error.map { "\($0)".contains(sentence) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test func namesTheTopicsOfItsApps() throws {
    let functions = try manifest(
      #"""
      {"apps":{"repairminder":{"bundleId":"com.mendmyi.repairminder"},"mugshot":{"bundleId":"com.example.Mug-1"}},
       "functions":{"sends":{"environment":["APNS_TOPICS"]},"other":{"environment":["DATABASE_URL"]}}}
      """#
    ).functions

    #expect(
      functions.map { $0.settings["APNS_TOPICS"] } == [
        "mugshot=com.example.Mug-1,repairminder=com.mendmyi.repairminder", nil,
      ])
  }

  @Test func eachFunctionHereGetsTheAppsOwnTexts() throws {
    let folder = try TemporaryDirectory()
    try folder.write("hello = Hallo {name}\n", to: "de.strings")
    let text = #"{"languages":"\#(folder.path)","functions":{"a":{},"b":{"url":"https://b.example"}}}"#

    let functions = try manifest(text).functions

    #expect(functions.map { $0.settings["PUSH_LANGUAGES"] } == [folder.path, nil])
    #expect(functions[0].environment.contains("PUSH_LANGUAGES") && functions[0].optional.contains("PUSH_LANGUAGES"))
  }

  @Test func theFolderBeginsAtFunctionsJSONAndItsFilesMayBeLinksWithAMark() throws {
    let folder = try TemporaryDirectory()
    let file = try folder.write("\u{FEFF}# Hallo\nhello = Hallo {name}\n", to: "mounted")
    try FileManager.default.createDirectory(atPath: "\(folder.path)/texts", withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(
      atPath: "\(folder.path)/texts/de.strings", withDestinationPath: file)

    let manifest = try Manifest(
      text: Array(#"{"languages":"texts","functions":{"a":{}}}"#.utf8), file: "functions.json", directory: folder.path)

    #expect(manifest.functions[0].settings["PUSH_LANGUAGES"] == "\(folder.path)/texts")
    #expect(manifest.languagesFolder == "\(folder.path)/texts" && manifest.languages == "texts")
  }

  @Test func aFileThatFunctionsWouldNotReadIsRefused() throws {
    let folder = try TemporaryDirectory()
    let text = #"{"languages":"\#(folder.path)","functions":{}}"#
    let file = URL(filePath: "\(folder.path)/de.strings")
    func refusal() -> String {
      do {
        _ = try manifest(text)
        return ""
      } catch {
        return "\(error)"
      }
    }

    try Data("hello = Hallo\nbye = Tsch".utf8 + [0xFC, 0x73]).write(to: file)
    #expect(refusal().contains("/de.strings:2: is not UTF-8"), "\(refusal())")

    try Data("hello = Hallo\n".utf8 + [UInt8](repeating: 0x23, count: 1 << 20)).write(to: file)
    #expect(refusal().contains("has more than 1048576 bytes"), "\(refusal())")
  }

  @Test(arguments: [
    ("de.strings", "hello = Hallo\n\nbye\n", "/de.strings:3: It has no `=`."),
    ("pt_br.strings", "hello = x", "languages has pt_br.strings, which must have the tag of a language"),
    ("de.txt", "hello = x", "languages must be a folder with files such as de.strings"),
  ])
  func aBrokenCatalogueIsRefusedByItsLine(file: String, text: String, sentence: String) throws {
    let folder = try TemporaryDirectory()
    try folder.write(text, to: file)

    let error = #expect(throws: ManifestError.self) {
      try manifest(#"{"languages":"\#(folder.path)","functions":{}}"#)
    }

    #expect(error.map { "\($0)".contains(sentence) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    (#"{"Mugshot":{"bundleId":"a.b"}}"#, "apps.Mugshot is not an app's name"),
    (#"{"mugshot":"a.b"}"#, "apps.mugshot must be an object"),
    (#"{"mugshot":{"bundleID":"a.b"}}"#, "apps.mugshot.bundleID is not known"),
    (#"{"mugshot":{"bundleId":"my app"}}"#, "apps.mugshot.bundleId must be a bundle id"),
    (#"{"mugshot":{"bundleId":"a.b,lockitin=c.d"}}"#, "apps.mugshot.bundleId must be a bundle id"),
    (#"{"mugshot":{"bundleId":""}}"#, "apps.mugshot.bundleId must be a string"),
  ])
  func whatIsWrongWithAnAppIsNamed(apps: String, sentence: String) throws {
    let error = #expect(throws: ManifestError.self) { try manifest(#"{"functions":{},"apps":\#(apps)}"#) }
    #expect(error.map { "\($0)".contains(sentence) } == true, "\(error.map { "\($0)" } ?? "")")
  }

  @Test(arguments: [
    ("", "functions.json:1: is not valid JSON: the text ends too early"),
    ("{\n\"functions\": {,}", "functions.json:2: is not valid JSON: expected a member name"),
    ("{}", "functions.json:1: has no \"functions\""),
    ("{\"functions\":[]}", "functions must be an object"),
    ("{\"functions\":{},\n\"function\":{}}", "functions.json:2: function is not known"),
    ("{\"functions\":{},\"migrations\":[\"sql/runner\"]}", "migrations[0] must end in a folder's name"),
    ("{\"functions\":{},\"migrations\":[\"sql/My Tables\"]}", "migrations[0] must end in a folder's name"),
    ("{\"functions\":{},\"migrations\":[\"a/t\",\"/b/t/\"]}", "migrations[1] is a second folder with the name t"),
    ("{\"functions\":{\"Vote\":{}}}", "functions.Vote is not a function's name"),
    ("{\"functions\":{\"a\":{},\"a\":{}}}", "functions.a is given twice"),
    ("{\"functions\":{\"a\":{\"tmeout\":1}}}", "functions.a.tmeout is not known; known here: attempts"),
    (
      "{\"functions\":{\"a\":{\"timeout\":\"5\"}}}",
      "functions.a.timeout must be a whole number of seconds from 1 to 900"
    ),
    (
      "{\"functions\":{},\"apps\":{\"mugshot\":{},\"lockitin\":{}},\n\"defaultApp\":\"mugshots\"}",
      "functions.json:2: defaultApp must be one of \"apps\": lockitin, mugshot"
    ),
    (
      "{\"functions\":{\"a\":{\"mode\":\"oneshot\",\"batch\":2}}}",
      "functions.a.batch hands several events to one warm process, so \"mode\" must be warm"
    ),
    ("{\"functions\":{\"a\":{\"mode\":\"discard\",\"batch\":2}}}", "so \"mode\" must be warm"),
    ("{\"functions\":{\"a\":{\"batch\":0}}}", "functions.a.batch must be a whole number of events from 1 to 512"),
    ("{\"functions\":{\"a\":{\"batch\":513}}}", "functions.a.batch must be a whole number of events from 1 to 512"),
    ("{\"functions\":{\"a\":{\"mode\":\"cold\"}}}", "functions.a.mode must be one of warm, oneshot"),
    ("{\"functions\":{\"a\":{\"key\":\"b\"}}}", "functions.a.key orders row events"),
    ("{\"functions\":{\"a\":{\"triggers\":[{}]}}}", "functions.a.triggers[0] needs one of"),
    ("{\"functions\":{\"a\":{\"triggers\":[{\"table\":\"v\"}]}}}", "triggers[0] has no \"events\""),
    ("{\"functions\":{\"a\":{\"triggers\":[{\"table\":\"v\",\"events\":[]}]}}}", "must name at least one of INSERT"),
    (
      "{\"functions\":{\"a\":{\"triggers\":[{\"table\":\"v\",\"events\":[\"INSERT\"],\"columns\":[\"c\"]}]}}}",
      "columns limits updates"
    ),
    ("{\"functions\":{\"a\":{\"triggers\":[{\"schedule\":\"61 * * * *\"}]}}}", "schedule is not a cron expression"),
    ("{\"functions\":{\"a\":{\"triggers\":[{\"schedule\":\"0 0 30 2 *\"}]}}}", "schedule is not a cron expression"),
    (
      "{\"functions\":{\"a\":{\"triggers\":[{\"schedule\":\"* * * * *\",\"timezone\":\"Mars/Base\"}]}}}", "timezone"
    ),
    (
      "{\"functions\":{\"a\":{\"triggers\":[{\"http\":\"function\",\"routes\":[\"GET a\"]}]}}}",
      "routes[0] must be a method and a path"
    ),
    (
      "{\"functions\":{\"a\":{\"triggers\":[{\"http\":\"key\",\"routes\":[\"GET /a\"]}]}}}",
      "takes \"routes\", \"callsPerMinute\", \"largestBody\" and \"pages\" with \"http\": \"function\" only"
    ),
    (
      "{\"functions\":{\"a\":{\"triggers\":[{\"http\":\"key\",\"pages\":\"still\"}]}}}",
      "and \"pages\" with \"http\": \"function\" only"
    ),
    ("{\"functions\":{\"a\":{\"triggers\":[{\"http\":\"function\",\"pages\":\"all\"}]}}}", "pages must be"),
    (
      "{\"functions\":{\"a\":{\"triggers\":[{\"http\":\"function\",\"routes\":[\"GET /{x}\"]}]},"
        + "\"b\":{\"triggers\":[{\"http\":\"function\",\"routes\":[\"PUT /a\",\"GET /a\"]}]}}}",
      "functions.b has the route GET /a, which is also GET /{x} of a"
    ),
    ("{\"functions\":{},\"metrics\":[\"my-view\"]}", "metrics[0] must be a view whose name can be a metric's"),
    ("{\"functions\":{},\"metrics\":[\"push_runner_up\"]}", "metrics[0] must be a view"),
    ("{\"functions\":{},\"services\":{\"..\":{}}}", "is not a service's name"),
    ("{\"functions\":{},\"services\":{\"\":{}}}", "is not a service's name"),
    ("{\"functions\":{},\"services\":{\"runs\":{}}}", "services.runs is not a service's name"),
    ("{\"functions\":{},\"commands\":{\"demo\":{}}}", "commands.demo has no \"executable\""),
    ("{\"functions\":{},\"commands\":{\"list push\":{\"executable\":\"a\"}}}", "is not a command's name"),
    ("{\"functions\":{},\"commands\":{\"doctor  push\":{\"executable\":\"a\"}}}", "is not a command's name"),
    ("{\"functions\":{},\"commands\":{\"--help\":{\"executable\":\"a\"}}}", "is not a command's name"),
  ])
  func namesAMistakeWithItsPlace(_ text: String, _ sentence: String) {
    #expect { try manifest(text) } throws: { "\($0)".contains(sentence) }
  }

  @Test func readsWhatFunctionsWriteOfTheAppsTables() throws {
    let text = #""functions":{},"appTables":["a","b"],"appWrites":{"b":{"UPDATE":["y"],"INSERT":["x","y"]},"a":{}}"#

    #expect(
      try manifest("{\(text)}").appWrites == [
        AppWrite(table: "b", operation: .insert, columns: ["x", "y"]),
        AppWrite(table: "b", operation: .update, columns: ["y"]),
      ])
  }

  @Test(arguments: [
    (#"{"c":{"UPDATE":["x"]}}"#, "appWrites.c is none of \"appTables\""),
    (#"{"a":{"DELETE":["x"]}}"#, "appWrites.a.DELETE is not known; known here: INSERT, UPDATE"),
    (#"{"a":{"UPDATE":"x"}}"#, "appWrites.a.UPDATE must be an array"),
    (#"["a"]"#, "appWrites must be an object"),
  ])
  func writesThatCannotBeReadAreNamed(_ writes: String, _ problem: String) {
    #expect { try manifest("{\"functions\":{},\"appTables\":[\"a\"],\"appWrites\":\(writes)}") } throws: {
      "\($0)".contains(problem)
    }
  }

  @Test func readsWhatADatabaseMayLack() throws {
    let text = #""functions":{},"appTables":["a","b"],"mayLack":{"b":{"y":null,"x":"it is slower"},"a":{}}"#

    #expect(
      try manifest("{\(text)}").mayLack == [
        SpareColumn(table: "b", column: "y", cost: nil), SpareColumn(table: "b", column: "x", cost: "it is slower"),
      ])
  }

  @Test(arguments: [
    (#"{"c":{"x":null}}"#, "mayLack.c is none of \"appTables\""), (#"{"a":{"x":1}}"#, "mayLack.a.x must be"),
    (#"{"a":["x"]}"#, "mayLack.a must be an object"),
  ])
  func whatCannotBeLackingIsNamed(_ columns: String, _ problem: String) {
    #expect { try manifest("{\"functions\":{},\"appTables\":[\"a\"],\"mayLack\":\(columns)}") } throws: {
      "\($0)".contains(problem)
    }
  }

  @Test func readsWherePeopleStand() throws {
    let people = #"{"follow":"app.follow","into":"users","table":"auth.users","id":"uid","email":"lower(email)"}"#
    let entry = try #require(try manifest(#"{"functions":{},"people":\#(people)}"#).people)

    #expect((entry.schema, entry.function, entry.into.short) == ("app", "follow", "users"))
    #expect(entry.table == TableName(schema: "auth", table: "users"))
    #expect(entry.facts == ["id": "uid", "email": "lower(email)"])
  }

  @Test(arguments: [
    (#"{"into":"users"}"#, "people needs"), (#"{"follow":"f","into":"u","table":"a.b.c"}"#, "people.table must be"),
    (#"{"follow":"f","into":"u","email":"e"}"#, "people has \"email\", but no \"table\""),
    (#"{"follow":"f","into":"u","table":"p","email":"a; DROP TABLE b"}"#, "people.email must be one expression"),
    (#"{"follow":"f","into":"u","table":"p","phone":"p"}"#, "people.phone is not known"),
  ])
  func peopleWhoCannotBeReadAreNamed(_ people: String, _ problem: String) {
    #expect { try manifest(#"{"functions":{},"people":\#(people)}"#) } throws: { "\($0)".contains(problem) }
  }
}
