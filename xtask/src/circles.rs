//! The check that the files of a crate do not import each other in a circle.
//!
//! Files in a circle can only be read together.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, VecDeque, btree_map::Entry},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, ensure};
use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use proc_macro2::{TokenStream, TokenTree};
use syn::{
    Attribute, ImplItem, Item, ItemUse, Macro, Meta, Token, UseTree, Visibility,
    ext::IdentExt,
    punctuated::Punctuated,
    visit::{self, Visit},
};

use crate::{command, workspace};

/// The crates whose folders, too, import each other one way only: they have too many files for one
/// look.
const ONE_WAY: [&str; 4] = [
    "rowkey-copy",
    "rowkey-doctor",
    "rowkey-relayout",
    "rowkey-tables",
];

/// Fails if files of a crate of the workspace import each other in a circle.
pub(crate) fn check() -> Result<()> {
    let metadata = workspace::metadata()?;
    let root = command::root();
    let mut found = Vec::new();
    for package in metadata.workspace_packages() {
        let targets = package.targets.iter();
        // Integration tests share modules as they like.
        for target in targets.filter(|one| one.is_lib() || one.is_bin() || one.is_proc_macro()) {
            let files = Crate::read(target.src_path.as_std_path())?;
            for circle in files.circles() {
                let (example, shown) = (files.example(&circle, &root), files.shown(&circle, &root));
                found.push(format!("{example}, in the circle of\n\n{shown}\n"));
            }
            if ONE_WAY.contains(&package.name.as_str()) {
                let circles = files.circles_of_folders().into_iter();
                let shown = circles.map(|circle| circle.join(", "));
                found.extend(shown.map(|names| format!("{}: the folders {names}\n", package.name)));
            }
        }
    }
    ensure!(
        found.is_empty(),
        "files import each other in a circle:\n\n{}",
        found.join("\n")
    );
    Ok(())
}

/// A module, which is a file or a part of one.
#[derive(Debug, Default)]
struct Module {
    file: usize,
    parent: usize,
    children: HashMap<String, usize>,
    /// What imported names stand for.
    names: HashMap<String, Vec<String>>,
    /// The modules of which all names are imported.
    globs: Vec<Vec<String>>,
    /// The names of items that are defined here.
    items: BTreeSet<String>,
    /// Paths in the code of this module, and private imports, which are dependencies.
    paths: BTreeSet<Vec<String>>,
}

/// The modules of a crate; the first one is its root.
#[derive(Debug, Default)]
struct Crate {
    files: Vec<PathBuf>,
    modules: Vec<Module>,
}

impl Crate {
    fn read(root: &Path) -> Result<Self> {
        let mut files = Self::default();
        let folder = root.parent().context("a file is in a folder")?;
        files.read_file(root, folder, 0)?;
        Ok(files)
    }

    /// Adds the module that a file is, with those below it in a folder.
    fn read_file(&mut self, file: &Path, folder: &Path, parent: usize) -> Result<usize> {
        let text = fs::read_to_string(file).with_context(|| file.display().to_string())?;
        let parsed = syn::parse_file(&text).with_context(|| file.display().to_string())?;
        self.files.push(file.to_owned());
        self.read_items(&parsed.items, folder, self.files.len() - 1, parent)
    }

    fn read_items(
        &mut self,
        items: &[Item],
        folder: &Path,
        file: usize,
        parent: usize,
    ) -> Result<usize> {
        let id = self.modules.len();
        let mut module = Module {
            file,
            parent,
            ..Module::default()
        };
        let mut children = Vec::new();
        for item in items {
            match item {
                Item::Mod(child) if !is_test(&child.attrs) => children.push(child),
                Item::Mod(_) => {}
                item => module.visit_item(item),
            }
        }
        self.modules.push(module);
        for child in children {
            let name = child.ident.unraw().to_string();
            let below = folder.join(&name);
            let child = match &child.content {
                Some((_, items)) => self.read_items(items, &below, file, id)?,
                None => {
                    let named = folder.join(format!("{name}.rs"));
                    let path = match path_attribute(&child.attrs) {
                        Some(path) => self.files[file].with_file_name(path),
                        None if named.exists() => named,
                        None => below.join("mod.rs"),
                    };
                    self.read_file(&path, &below, id)?
                }
            };
            self.modules[id].children.insert(name, child);
        }
        Ok(id)
    }

    /// The module that a path leads to, or that defines the item at its end.
    fn resolve(&self, from: usize, path: &[String], depth: usize) -> Option<usize> {
        // Imports may lead around in circles, too.
        if depth > 16 {
            return None;
        }
        let (first, rest) = path.split_first()?;
        let module = match first.as_str() {
            "crate" => 0,
            "self" => from,
            "super" => self.modules[from].parent,
            name => match self.modules[from].children.get(name) {
                Some(child) => *child,
                None => {
                    let target = self.modules[from].names.get(name)?;
                    let module = self.resolve(from, target, depth + 1)?;
                    // An item, of which the rest of the path is a part.
                    if !self.is_module(from, target, depth + 1) {
                        return Some(module);
                    }
                    module
                }
            },
        };
        self.resolve_in(module, rest, depth)
    }

    fn resolve_in(&self, module: usize, path: &[String], depth: usize) -> Option<usize> {
        let Some((name, rest)) = path.split_first() else {
            return Some(module);
        };
        let this = &self.modules[module];
        if name == "super" {
            return self.resolve_in(this.parent, rest, depth);
        }
        if let Some(child) = this.children.get(name) {
            return self.resolve_in(*child, rest, depth);
        }
        if this.items.contains(name) {
            return Some(module);
        }
        if let Some(target) = this.names.get(name) {
            let found = self.resolve(module, target, depth + 1)?;
            return match self.is_module(module, target, depth + 1) {
                true => self.resolve_in(found, rest, depth),
                false => Some(found),
            };
        }
        let of_globs = this.globs.iter().find_map(|glob| {
            let found = self.resolve(module, glob, depth + 1)?;
            let has = self.modules[found].items.contains(name)
                || self.modules[found].children.contains_key(name)
                || self.modules[found].names.contains_key(name);
            has.then(|| self.resolve_in(found, path, depth + 1))
                .flatten()
        });
        of_globs.or(Some(module))
    }

    /// Whether a path ends with the name of a module rather than of an item.
    fn is_module(&self, from: usize, path: &[String], depth: usize) -> bool {
        match self.resolve(from, path, depth) {
            None => false,
            Some(found) => match path.last().map(String::as_str) {
                Some("crate" | "self" | "super") => true,
                Some(name) => !self.modules[found].items.contains(name) && found != 0,
                None => false,
            },
        }
    }

    /// The files, and which of them use which others.
    fn graph(&self) -> DiGraphMap<usize, ()> {
        let mut graph = DiGraphMap::new();
        for (id, module) in self.modules.iter().enumerate() {
            for path in &module.paths {
                let used = match &path[..] {
                    // What it is depends on imports. Variables are called like modules, too.
                    [name] if module.children.contains_key(name) => None,
                    [_] => self.resolve_in(id, path, 0),
                    _ => self.resolve(id, path, 0),
                };
                if let Some(used) = used {
                    let used = self.modules[used].file;
                    if used != module.file {
                        graph.add_edge(module.file, used, ());
                    }
                }
            }
        }
        graph
    }

    /// The largest groups of files of which each reaches each other one.
    fn circles(&self) -> Vec<BTreeSet<usize>> {
        let groups = tarjan_scc(&self.graph()).into_iter();
        let circles = groups.filter(|group| group.len() > 1);
        circles.map(BTreeSet::from_iter).collect()
    }

    /// The same of the topmost folders, and of the files beside them.
    fn circles_of_folders(&self) -> Vec<Vec<String>> {
        let names: BTreeSet<String> = (0..self.files.len())
            .filter_map(|file| self.folder(file))
            .collect();
        let names = Vec::from_iter(names);
        let place = |file| names.binary_search(&self.folder(file)?).ok();
        let edges = self.graph();
        let edges = edges
            .all_edges()
            .filter_map(|(from, to, ())| Some((place(from)?, place(to)?)));
        let graph = DiGraphMap::<usize, ()>::from_edges(edges.filter(|(from, to)| from != to));
        let groups = tarjan_scc(&graph).into_iter();
        let circles = groups.filter(|group| group.len() > 1);
        let names_of = |group: Vec<usize>| group.into_iter().map(|place| names[place].clone());
        circles.map(|group| names_of(group).collect()).collect()
    }

    /// The topmost folder that a file is in, or what it is called itself. The crate's root is in none.
    fn folder(&self, file: usize) -> Option<String> {
        let (root, others) = self.files.split_first()?;
        let path = others.get(file.checked_sub(1)?)?;
        let first = path.strip_prefix(root.parent()?).ok()?.iter().next()?;
        Some(Path::new(first).file_stem()?.to_str()?.to_owned())
    }

    fn name(&self, file: usize, root: &Path) -> String {
        let file = &self.files[file];
        let file = file.strip_prefix(root).unwrap_or(file);
        file.display().to_string()
    }

    /// A circle as the list has it, a file in a line.
    fn shown(&self, circle: &BTreeSet<usize>, root: &Path) -> String {
        let names: BTreeSet<String> = circle.iter().map(|file| self.name(*file, root)).collect();
        names.into_iter().collect::<Vec<_>>().join("\n")
    }

    /// The shortest way around in a circle.
    fn example(&self, circle: &BTreeSet<usize>, root: &Path) -> String {
        let graph = self.graph();
        let ways = circle.iter().filter_map(|start| {
            let mut before = BTreeMap::new();
            let mut queue = VecDeque::from([*start]);
            while let Some(file) = queue.pop_front() {
                for next in graph.neighbors(file).filter(|next| circle.contains(next)) {
                    if next == *start {
                        let mut way = vec![*start, file];
                        while let Some(previous) = before.get(&way[way.len() - 1]) {
                            way.push(*previous);
                        }
                        way.reverse();
                        return Some(way);
                    }
                    if let Entry::Vacant(unseen) = before.entry(next) {
                        unseen.insert(file);
                        queue.push_back(next);
                    }
                }
            }
            None
        });
        let way = ways.min_by_key(Vec::len).unwrap_or_default();
        let names: Vec<String> = way.iter().map(|file| self.name(*file, root)).collect();
        names.join(" -> ")
    }
}

impl Module {
    /// Takes the names that an import brings. A private one is a dependency by itself; a public one
    /// is followed by those who use it.
    fn add_import(&mut self, tree: &UseTree, mut path: Vec<String>, is_private: bool) {
        let (name, last) = match tree {
            UseTree::Path(tree) => {
                path.push(tree.ident.unraw().to_string());
                return self.add_import(&tree.tree, path, is_private);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.add_import(tree, path.clone(), is_private);
                }
                return;
            }
            UseTree::Glob(_) => {
                self.globs.push(path.clone());
                if is_private {
                    self.paths.insert(path);
                }
                return;
            }
            UseTree::Name(tree) => (tree.ident.to_string(), tree.ident.to_string()),
            UseTree::Rename(tree) => (tree.rename.to_string(), tree.ident.to_string()),
        };
        let name = match last.as_str() {
            "self" => path.last().cloned().unwrap_or(name),
            _ => {
                path.push(last);
                name
            }
        };
        if is_private {
            self.paths.insert(path.clone());
        }
        self.names.insert(name, path);
    }

    /// Takes the paths from tokens that are not parsed.
    fn add_tokens(&mut self, tokens: TokenStream) {
        let mut path = Vec::new();
        let mut colons = 2;
        for token in tokens {
            match token {
                TokenTree::Ident(ident) => {
                    if colons != 2 {
                        self.add_path(std::mem::take(&mut path));
                    }
                    path.push(ident.to_string());
                    colons = 0;
                }
                TokenTree::Punct(punct) if punct.as_char() == ':' => colons += 1,
                other => {
                    self.add_path(std::mem::take(&mut path));
                    colons = 2;
                    if let TokenTree::Group(group) = other {
                        self.add_tokens(group.stream());
                    }
                }
            }
        }
        self.add_path(path);
    }

    /// Takes a path of tokens, of which a single one may be anything.
    fn add_path(&mut self, path: Vec<String>) {
        if path.len() > 1 {
            self.paths.insert(path);
        }
    }
}

impl<'ast> Visit<'ast> for Module {
    fn visit_item(&mut self, item: &'ast Item) {
        let (attributes, name): (&[Attribute], _) = match item {
            Item::Const(item) => (&item.attrs, Some(&item.ident)),
            Item::Enum(item) => (&item.attrs, Some(&item.ident)),
            Item::Fn(item) => (&item.attrs, Some(&item.sig.ident)),
            Item::Macro(item) => (&item.attrs, item.ident.as_ref()),
            Item::Static(item) => (&item.attrs, Some(&item.ident)),
            Item::Struct(item) => (&item.attrs, Some(&item.ident)),
            Item::Trait(item) => (&item.attrs, Some(&item.ident)),
            Item::Type(item) => (&item.attrs, Some(&item.ident)),
            Item::Union(item) => (&item.attrs, Some(&item.ident)),
            Item::Impl(item) => (&item.attrs, None),
            _ => (&[], None),
        };
        if !is_test(attributes) {
            self.items.extend(name.map(ToString::to_string));
            visit::visit_item(self, item);
        }
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        if !is_test(&item.attrs) {
            let is_private = matches!(item.vis, Visibility::Inherited);
            self.add_import(&item.tree, Vec::new(), is_private);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast ImplItem) {
        let attributes = match item {
            ImplItem::Const(item) => &item.attrs[..],
            ImplItem::Fn(item) => &item.attrs[..],
            ImplItem::Type(item) => &item.attrs[..],
            _ => &[],
        };
        if !is_test(attributes) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        let segments = path.segments.iter();
        let names = segments.map(|one| one.ident.unraw().to_string());
        self.paths.insert(names.collect());
        visit::visit_path(self, path);
    }

    // Who may see an item isn't a dependency.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}

    fn visit_macro(&mut self, found: &'ast Macro) {
        self.add_tokens(found.tokens.clone());
        visit::visit_macro(self, found);
    }
}

/// Whether only tests are built with an item.
fn is_test(attributes: &[Attribute]) -> bool {
    let conditions = attributes.iter().filter(|one| one.path().is_ident("cfg"));
    let mut conditions = conditions.filter_map(|one| one.parse_args().ok());
    conditions.any(|condition| asks_for_test(&condition))
}

fn asks_for_test(condition: &Meta) -> bool {
    let Meta::List(list) = condition else {
        return condition.path().is_ident("test");
    };
    let parts = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
    let parts = parts.unwrap_or_default();
    match condition
        .path()
        .get_ident()
        .map(ToString::to_string)
        .as_deref()
    {
        Some("all") => parts.iter().any(asks_for_test),
        Some("any") => !parts.is_empty() && parts.iter().all(asks_for_test),
        _ => false,
    }
}

fn path_attribute(attributes: &[Attribute]) -> Option<String> {
    attributes.iter().find_map(|one| match &one.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(literal) => match &literal.lit {
                syn::Lit::Str(path) => Some(path.value()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn circles(name: &str, files: &[(&str, &str)]) -> Vec<String> {
        in_crate(name, files, |read, folder| {
            let circles = read.circles();
            let examples = circles.iter().map(|circle| read.example(circle, folder));
            examples.collect()
        })
    }

    /// Looks at a crate in a new folder, of files by their paths.
    fn in_crate<T>(name: &str, files: &[(&str, &str)], look: impl Fn(&Crate, &Path) -> T) -> T {
        let folder =
            std::env::temp_dir().join(format!("rowkey-circles-{name}-{}", std::process::id()));
        for (path, text) in files {
            let path = folder.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let read = Crate::read(&folder.join("lib.rs"));
        fs::remove_dir_all(&folder).unwrap();
        look(&read.unwrap(), &folder)
    }

    #[test]
    fn folders_are_in_a_circle_though_no_files_are() {
        let files = [
            ("lib.rs", "mod a;\nmod b;\nmod c;"),
            ("a/mod.rs", "mod one;\npub(crate) mod two;"),
            ("a/one.rs", "use crate::b::One;"),
            ("a/two.rs", "pub struct Two;"),
            ("b.rs", "pub struct One;\nuse crate::a::two::Two;"),
            ("c.rs", "use crate::b::One;"),
        ];
        let found = in_crate("folders", &files, |read, _| {
            assert!(read.circles().is_empty());
            read.circles_of_folders()
        });
        assert_eq!(found.len(), 1);
        assert_eq!(
            BTreeSet::from_iter(&found[0]),
            BTreeSet::from_iter(&["a".into(), "b".into()])
        );
    }

    #[test]
    fn a_circle_is_found_through_reexports_and_macros() {
        let found = circles(
            "reexports",
            &[
                ("lib.rs", "mod a; mod b; pub use a::A; pub use b::*;"),
                (
                    "a.rs",
                    "pub struct A; fn f() { println!(\"{}\", crate::B::NAME) }",
                ),
                ("b.rs", "pub struct B; use crate::A;"),
            ],
        );
        let expected = ["a.rs -> b.rs -> a.rs", "b.rs -> a.rs -> b.rs"];
        assert!(expected.iter().any(|one| found == [*one]), "{found:?}");
    }

    #[test]
    fn parents_may_use_children_that_do_not_use_them() {
        let found = circles(
            "parents",
            &[
                (
                    "lib.rs",
                    "mod a; mod shared; pub use shared::Shared; fn f() { a::g() }",
                ),
                ("a/mod.rs", "mod inner; pub fn g() { inner::h() }"),
                (
                    "a/inner.rs",
                    "use crate::Shared; pub(in crate::a) fn h() {}",
                ),
                (
                    "shared.rs",
                    "pub struct Shared; #[cfg(test)] mod tests { use crate::a; }",
                ),
            ],
        );
        assert!(found.is_empty(), "{found:?}");
    }

    #[test]
    fn children_that_use_what_their_parent_defines_are_in_a_circle_with_it() {
        let found = circles(
            "children",
            &[
                ("lib.rs", "mod a;"),
                ("a/mod.rs", "mod inner; pub struct A; fn g() { inner::h() }"),
                ("a/inner.rs", "use super::A; pub fn h() {}"),
            ],
        );
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn imports_that_others_may_use_are_used_where_they_are() {
        let one = "pub(crate) use crate::b::*;\npub(crate) struct A(B);";
        let other = "pub(crate) use crate::a::A;\npub(crate) struct B;\nfn of(_: &A) {}";
        let files = [("lib.rs", "mod a;\nmod b;"), ("a.rs", one), ("b.rs", other)];
        assert_eq!(circles("shared", &files), ["a.rs -> b.rs -> a.rs"]);
    }

    #[test]
    fn only_what_tests_alone_are_built_with_is_left_out() {
        for (name, condition, is_circle) in [
            ("test", "test", false),
            ("both", "all(test, unix)", false),
            ("feature", "feature = \"proptest\"", true),
            ("not", "not(test)", true),
            ("either", "any(test, unix)", true),
        ] {
            let one = format!("#[cfg({condition})]\nuse crate::r#try::B;");
            let method = format!(
                "pub struct B;\nimpl B {{ #[cfg({condition})] fn a(_: crate::a::A) {{}} }}"
            );
            let files = [
                ("lib.rs", "mod a;\nmod r#try;"),
                ("a.rs", &one),
                ("try.rs", &method),
            ];
            let expected: &[&str] = if is_circle {
                &["a.rs -> try.rs -> a.rs"]
            } else {
                &[]
            };
            assert_eq!(circles(name, &files), expected, "{condition}");
        }
    }
}
