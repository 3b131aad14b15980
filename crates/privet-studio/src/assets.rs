//! The files of the page, as they lie in `web/`.

/// A file of the page: its path, its type and its content.
pub(crate) struct Asset {
    pub path: &'static str,
    pub kind: &'static str,
    pub content: &'static str,
}

macro_rules! assets {
    ($($path:literal $file:literal $kind:literal),* $(,)?) => {
        &[
            $(Asset { path: $path, kind: $kind, content: include_str!(concat!("../web/", $file)) },)*
            // Charts and reports look alike wherever they are shown.
            Asset { path: "/report.css", kind: "text/css; charset=utf-8", content: privet::report::STYLE },
        ]
    };
}

pub(crate) const ASSETS: &[Asset] = assets![
    "/" "index.html" "text/html; charset=utf-8",
    "/studio.css" "studio.css" "text/css; charset=utf-8",
    "/icon.svg" "icon.svg" "image/svg+xml",
    "/studio.js" "studio.js" "text/javascript; charset=utf-8",
    "/dom.js" "dom.js" "text/javascript; charset=utf-8",
    "/call.js" "call.js" "text/javascript; charset=utf-8",
    "/state.js" "state.js" "text/javascript; charset=utf-8",
    "/rail.js" "rail.js" "text/javascript; charset=utf-8",
    "/paper.js" "paper.js" "text/javascript; charset=utf-8",
    "/risk.js" "risk.js" "text/javascript; charset=utf-8",
    "/screens/data.js" "screens/data.js" "text/javascript; charset=utf-8",
    "/screens/roles.js" "screens/roles.js" "text/javascript; charset=utf-8",
    "/screens/hierarchies.js" "screens/hierarchies.js" "text/javascript; charset=utf-8",
    "/screens/promise.js" "screens/promise.js" "text/javascript; charset=utf-8",
    "/screens/search.js" "screens/search.js" "text/javascript; charset=utf-8",
    "/screens/result.js" "screens/result.js" "text/javascript; charset=utf-8",
    "/screens/compare.js" "screens/compare.js" "text/javascript; charset=utf-8",
    "/screens/publish.js" "screens/publish.js" "text/javascript; charset=utf-8",
];
