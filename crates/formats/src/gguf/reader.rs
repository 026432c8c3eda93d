//! Reads the little-endian pieces of a GGUF file, never more than the file has.

use super::{GgufError, Value};
use std::io::{self, Read};

/// Arrays of numbers are kept up to this length; per-layer lists are far shorter.
const KEPT: u64 = 4096;

/// Arrays may hold arrays, but no file nests them deeper.
const DEEPEST: u32 = 4;

/// Reads pieces of a file and counts what is left of it.
pub(super) struct Reader<R> {
    source: io::BufReader<R>,
    left: u64,
    read: u64,
}

impl<R: Read> Reader<R> {
    pub(super) fn new(source: R, file_bytes: u64) -> Self {
        Self { source: io::BufReader::new(source), left: file_bytes, read: 0 }
    }

    pub(super) fn bytes<const N: usize>(&mut self) -> Result<[u8; N], GgufError> {
        let mut bytes = [0_u8; N];
        self.fill(&mut bytes)?;
        Ok(bytes)
    }

    pub(super) fn u32(&mut self) -> Result<u32, GgufError> {
        Ok(u32::from_le_bytes(self.bytes()?))
    }

    pub(super) fn u64(&mut self) -> Result<u64, GgufError> {
        Ok(u64::from_le_bytes(self.bytes()?))
    }

    /// Reads a text; its length is checked against what is left before any of it is stored.
    pub(super) fn text(&mut self) -> Result<String, GgufError> {
        let length = self.u64()?;
        self.claim(length)?;
        let mut text = Vec::new();
        let got = (&mut self.source).take(length).read_to_end(&mut text).map_err(GgufError::Io)?;
        self.read += got as u64;
        if (got as u64) < length {
            return Err(GgufError::Truncated { found: self.read });
        }
        String::from_utf8(text).map_err(|_| GgufError::Text)
    }

    /// Reads a value of a type.
    pub(super) fn value(&mut self, kind: u32) -> Result<Value, GgufError> {
        match kind {
            9 => self.array(),
            _ => self.scalar(kind),
        }
    }

    fn scalar(&mut self, kind: u32) -> Result<Value, GgufError> {
        let signed = |number: i64| match u64::try_from(number) {
            Ok(count) => Value::Count(count),
            Err(_) => Value::Number(number as f64),
        };
        Ok(match kind {
            0 => Value::Count(u64::from(u8::from_le_bytes(self.bytes()?))),
            1 => signed(i64::from(i8::from_le_bytes(self.bytes()?))),
            2 => Value::Count(u64::from(u16::from_le_bytes(self.bytes()?))),
            3 => signed(i64::from(i16::from_le_bytes(self.bytes()?))),
            4 => Value::Count(u64::from(self.u32()?)),
            5 => signed(i64::from(i32::from_le_bytes(self.bytes()?))),
            6 => Value::Number(f64::from(f32::from_le_bytes(self.bytes()?))),
            7 => Value::Flag(self.bytes::<1>()? != [0]),
            8 => Value::Text(self.text()?),
            10 => Value::Count(self.u64()?),
            11 => signed(i64::from_le_bytes(self.bytes()?)),
            12 => Value::Number(f64::from_le_bytes(self.bytes()?)),
            _ => return Err(GgufError::ValueType { kind }),
        })
    }

    fn array(&mut self) -> Result<Value, GgufError> {
        let (kind, length) = (self.u32()?, self.u64()?);
        // Each item has at least a byte, so that a longer array cannot be in the file.
        if length > self.left {
            return Err(GgufError::Truncated { found: self.read + self.left });
        }
        let mut counts = Vec::new();
        for at in 0..length {
            if kind == 9 {
                self.skip_array(1)?;
                continue;
            }
            match self.scalar(kind)? {
                Value::Count(count) if at < KEPT => counts.push(count),
                _ => {}
            }
        }
        let whole = length > 0 && counts.len() as u64 == length;
        Ok(if whole { Value::Counts(counts) } else { Value::Array(length) })
    }

    fn skip_array(&mut self, depth: u32) -> Result<(), GgufError> {
        if depth > DEEPEST {
            return Err(GgufError::ValueType { kind: 9 });
        }
        let (kind, length) = (self.u32()?, self.u64()?);
        if length > self.left {
            return Err(GgufError::Truncated { found: self.read + self.left });
        }
        for _ in 0..length {
            if kind == 9 {
                self.skip_array(depth + 1)?;
            } else {
                self.scalar(kind)?;
            }
        }
        Ok(())
    }

    /// Takes so many bytes from what is left.
    fn claim(&mut self, bytes: u64) -> Result<(), GgufError> {
        match self.left.checked_sub(bytes) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(GgufError::Truncated { found: self.read + self.left }),
        }
    }

    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), GgufError> {
        self.claim(bytes.len() as u64)?;
        self.source.read_exact(bytes).map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => GgufError::Truncated { found: self.read },
            _ => GgufError::Io(error),
        })?;
        self.read += bytes.len() as u64;
        Ok(())
    }
}
