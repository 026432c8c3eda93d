//! Files: read whole with a clear error, written whole or not at all.

use crate::error::CommandError;
use kasuan_model::{Bytes, Phrase};
use std::{
    fs, io,
    io::{Read as _, Write as _},
    path::{Path, PathBuf},
};

/// No text that a person writes is larger.
const LARGEST: u64 = 64 << 20;

/// Reads a whole UTF-8 text; `-` is stdin. A byte order mark is dropped.
pub(crate) fn read_text(path: &Path) -> Result<String, CommandError> {
    let bytes = read_bytes(path)?;
    let text = String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to() + 1;
        CommandError::user(
            Phrase::new("error-file-not-utf8").with("path", path.display()).with("offset", offset),
        )
        .hint(Phrase::new("hint-file-not-utf8").with("path", path.display()))
    })?;
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// Reads a whole file; `-` is stdin.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, CommandError> {
    read_up_to(path, LARGEST)
}

/// Reads a whole file of at most `most` bytes; `-` is stdin.
pub(crate) fn read_up_to(path: &Path, most: u64) -> Result<Vec<u8>, CommandError> {
    let mut bytes = Vec::new();
    if path == Path::new("-") {
        io::stdin()
            .lock()
            .take(most + 1)
            .read_to_end(&mut bytes)
            .map_err(|error| unreadable(path, &error))?;
    } else {
        let file = fs::File::open(path).map_err(|error| unreadable(path, &error))?;
        let is_folder = file.metadata().is_ok_and(|data| data.is_dir());
        if is_folder {
            return Err(CommandError::user(
                Phrase::new("error-file-is-folder").with("path", path.display()),
            ));
        }
        file.take(most + 1).read_to_end(&mut bytes).map_err(|error| unreadable(path, &error))?;
    }
    if bytes.len() as u64 > most {
        return Err(CommandError::user(
            Phrase::new("error-file-large")
                .with("path", path.display())
                .with("size", format!("> {}", Bytes::new(most)))
                .with("limit", Bytes::new(most)),
        ));
    }
    Ok(bytes)
}

/// Says that a file is not there.
pub(crate) fn missing(path: &Path) -> CommandError {
    CommandError::user(Phrase::new("error-file-missing").with("path", path.display()))
        .hint(Phrase::new("hint-file-missing"))
}

fn unreadable(path: &Path, error: &io::Error) -> CommandError {
    if error.kind() == io::ErrorKind::NotFound {
        return missing(path);
    }
    of_io(
        Phrase::new("error-file-read").with("path", path.display()).with_io("reason", error),
        error,
    )
}

/// Makes an error of a failure: a path that cannot be used is the user's to change, a disk that
/// fails is not.
pub(crate) fn of_io(phrase: Phrase, error: &io::Error) -> CommandError {
    match error.kind() {
        io::ErrorKind::NotFound
        | io::ErrorKind::PermissionDenied
        | io::ErrorKind::AlreadyExists
        | io::ErrorKind::IsADirectory
        | io::ErrorKind::NotADirectory
        | io::ErrorKind::InvalidFilename
        | io::ErrorKind::TooManyLinks => CommandError::user(phrase),
        _ => CommandError::surroundings(phrase),
    }
}

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Replace it.
    Replace,
    /// Leave it alone and refuse.
    Keep,
}

/// Links that are followed one after another before they are taken for a circle, as Linux does.
const MOST_LINKS: usize = 40;

/// Follows a link to the file that it stands for, which need not be there; a rename onto the link
/// itself would put a file in its place and leave the linked one as it was.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut at = path.to_path_buf();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&at) {
            // What is no link is the file itself; what cannot be looked at fails when it is written.
            Err(_) => return Ok(at),
            Ok(target) => at = at.parent().unwrap_or(Path::new("")).join(target),
        }
    }
    Err(io::Error::from(io::ErrorKind::TooManyLinks))
}

/// Writes a whole file or nothing: into a new file beside it, then renamed into place. Through a
/// link, the file behind it is written.
pub(crate) fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), CommandError> {
    let failed = |error: &io::Error| {
        of_io(
            Phrase::new("error-file-write").with("path", path.display()).with_io("reason", error),
            error,
        )
    };
    let exists = || {
        CommandError::user(Phrase::new("error-file-exists").with("path", path.display()))
            .hint(Phrase::new("hint-file-exists"))
    };
    if path.is_dir() {
        return Err(CommandError::user(
            Phrase::new("error-file-is-folder").with("path", path.display()),
        ));
    }
    if existing == Existing::Keep && path.exists() {
        return Err(exists());
    }
    if existing == Existing::Keep && path.is_symlink() {
        return Err(exists());
    }
    let behind = behind_links(path).map_err(|error| failed(&error))?;
    let path = behind.as_path();
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let beside = path.with_file_name(format!(".{name}.{}.part", std::process::id()));
    let written = fs::File::create(&beside)
        .and_then(|mut file| file.write_all(bytes).and_then(|()| file.sync_all()))
        .and_then(|()| match existing {
            Existing::Replace => fs::rename(&beside, path),
            // A hard link fails when the name was taken meanwhile, which a rename would not; where
            // the file system has no links, the name is at least looked at once more.
            Existing::Keep => match fs::hard_link(&beside, path) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists && !path.exists() => {
                    fs::rename(&beside, path)
                }
                other => other,
            },
        });
    // After a rename there is nothing left to remove.
    let _ = fs::remove_file(&beside);
    match written {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(exists()),
        other => other.map_err(|error| failed(&error)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_link_stays_a_link_and_the_file_behind_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("shared")).unwrap();
        fs::write(path("shared/plan.md"), "old").unwrap();
        symlink("shared/plan.md", path("plan.md")).unwrap();
        symlink("plan.md", path("again.md")).unwrap();
        write(&path("again.md"), b"new", Existing::Replace).unwrap();
        assert!(path("again.md").is_symlink() && path("plan.md").is_symlink());
        assert_eq!(fs::read_to_string(path("shared/plan.md")).unwrap(), "new");
        assert_eq!(fs::read_dir(path("shared")).unwrap().count(), 1);
        // A link to a file that is not there yet makes it there.
        symlink("shared/next.md", path("next.md")).unwrap();
        write(&path("next.md"), b"made", Existing::Replace).unwrap();
        assert_eq!(fs::read_to_string(path("shared/next.md")).unwrap(), "made");
        // What must not be replaced is not replaced behind a link either.
        assert!(write(&path("again.md"), b"no", Existing::Keep).is_err());
    }

    #[test]
    fn links_in_a_circle_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        symlink("b", path("a")).unwrap();
        symlink("a", path("b")).unwrap();
        assert!(write(&path("a"), b"x", Existing::Replace).is_err());
        assert!(path("a").is_symlink() && path("b").is_symlink());
    }
}
