//! Files: read whole with a clear error, written whole or not at all.

use crate::error::CommandError;
use kasuan_model::{Bytes, Phrase};
use std::{
    fs, io,
    io::{Read as _, Write as _},
    path::Path,
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
    CommandError::surroundings(
        Phrase::new("error-file-read").with("path", path.display()).with("reason", error),
    )
}

/// Whether an existing file may be replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Existing {
    /// Replace it.
    Replace,
    /// Leave it alone and refuse.
    Keep,
}

/// Writes a whole file or nothing: into a new file beside it, then renamed into place.
pub(crate) fn write(path: &Path, bytes: &[u8], existing: Existing) -> Result<(), CommandError> {
    let failed = |error: &io::Error| {
        CommandError::surroundings(
            Phrase::new("error-file-write").with("path", path.display()).with("reason", error),
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
