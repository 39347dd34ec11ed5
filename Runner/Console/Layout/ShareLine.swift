/// The line at the end of a page that leads to it from elsewhere: its address is the view.
struct ShareLine {
  let address: Address
  let data: PageData?

  var html: HTML {
    tag(.p, .class("share"), .id("share")) {
      "Share "
      tag(.a, .id("copy-view"), .href(address)) { "this view" }
      " "
      tag(.button, .type("button"), .class("quiet"), .data("copy", "copy-view"), .hidden) { "Copy link" }
      if let data {
        " · "
        tag(.a, .href(address.with(SharedFormat.field, SharedFormat.json.rawValue))) { "JSON" }
        if data.table != nil {
          " · "
          tag(.a, .href(address.with(SharedFormat.field, SharedFormat.csv.rawValue))) { "CSV" }
        }
        if !data.extent.isEmpty { tag(.small) { " \(data.extent)" } }
      }
    }
  }
}
