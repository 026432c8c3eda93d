//! Raw samples of cards: one row a card and sample, for whoever wants to look behind the hours.

use super::ColumnarError;
use bytes::Bytes;
use parquet::{
    basic::Compression,
    column::writer::ColumnWriter,
    data_type::ByteArray,
    file::{
        properties::WriterProperties,
        reader::{FileReader as _, SerializedFileReader},
        writer::SerializedFileWriter,
    },
    record::{Field, Row},
    schema::parser::parse_message_type,
};
use std::sync::Arc;

/// The columns; what was not measured is null, never zero.
const SCHEMA: &str = "message samples {
    required int64 sampled_at (TIMESTAMP(MILLIS, true));
    required double seconds;
    required binary host (STRING);
    required binary device (STRING);
    optional binary card (STRING);
    required binary job (STRING);
    required binary person (STRING);
    optional double busy;
    optional double sm;
    optional double watts;
    optional int64 memory_used;
    optional int64 memory_total;
}";

/// One card at one moment.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sample {
    /// When, in milliseconds since 1970.
    pub at: i64,
    /// For how many seconds from then on it stands.
    pub seconds: f64,
    /// The host.
    pub host: String,
    /// The card's UUID, or another name that stays.
    pub device: String,
    /// What the driver calls the card.
    pub card: Option<String>,
    /// The job that had it; empty when none was named.
    pub job: String,
    /// Who had it; empty when not known.
    pub person: String,
    /// Share of time in which any kernel ran, 0 to 1.
    pub busy: Option<f64>,
    /// Share of multiprocessors at work, 0 to 1.
    pub sm: Option<f64>,
    /// Watts.
    pub watts: Option<f64>,
    /// Bytes in use.
    pub memory_used: Option<i64>,
    /// Bytes in all.
    pub memory_total: Option<i64>,
}

/// Writes samples as one Parquet file, compressed by Snappy.
///
/// # Errors
///
/// When the library fails; nothing that can be in a sample makes it.
pub fn write_samples(samples: &[Sample]) -> Result<Vec<u8>, ColumnarError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let properties = WriterProperties::builder().set_compression(Compression::SNAPPY).build();
    let mut out = Vec::new();
    let mut writer = SerializedFileWriter::new(&mut out, schema, Arc::new(properties))?;
    let mut group = writer.next_row_group()?;
    let mut at = 0;
    while let Some(mut column) = group.next_column()? {
        match column.untyped() {
            ColumnWriter::Int64ColumnWriter(writer) => {
                let (values, levels) = present(samples, |sample| match at {
                    0 => Some(sample.at),
                    10 => sample.memory_used,
                    _ => sample.memory_total,
                });
                writer.write_batch(&values, (at > 0).then_some(&levels), None)?;
            }
            ColumnWriter::DoubleColumnWriter(writer) => {
                let (values, levels) = present(samples, |sample| match at {
                    1 => Some(sample.seconds),
                    7 => sample.busy,
                    8 => sample.sm,
                    _ => sample.watts,
                });
                writer.write_batch(&values, (at > 1).then_some(&levels), None)?;
            }
            ColumnWriter::ByteArrayColumnWriter(writer) => {
                let (values, levels) = present(samples, |sample| {
                    let text = match at {
                        2 => &sample.host,
                        3 => &sample.device,
                        4 => sample.card.as_ref()?,
                        5 => &sample.job,
                        _ => &sample.person,
                    };
                    Some(ByteArray::from(text.as_str()))
                });
                writer.write_batch(&values, (at == 4).then_some(&levels), None)?;
            }
            _ => return Err(ColumnarError(format!("column {at}"))),
        }
        column.close()?;
        at += 1;
    }
    group.close()?;
    writer.close()?;
    Ok(out)
}

/// Returns what is there, and for each row whether it is.
fn present<T>(samples: &[Sample], of: impl Fn(&Sample) -> Option<T>) -> (Vec<T>, Vec<i16>) {
    let all: Vec<Option<T>> = samples.iter().map(of).collect();
    let levels = all.iter().map(|value| i16::from(value.is_some())).collect();
    (all.into_iter().flatten().collect(), levels)
}

/// Reads samples that [`write_samples`] wrote, also after another program rewrote the file: columns
/// are found by their names.
///
/// # Errors
///
/// When it is no Parquet file, or a column that a sample needs is missing.
pub fn read_samples(bytes: Vec<u8>) -> Result<Vec<Sample>, ColumnarError> {
    let reader = SerializedFileReader::new(Bytes::from(bytes))?;
    let mut samples = Vec::new();
    for row in reader.get_row_iter(None)? {
        samples.push(sample(&row?)?);
    }
    Ok(samples)
}

fn sample(row: &Row) -> Result<Sample, ColumnarError> {
    let mut read = Sample::default();
    let (mut at, mut seconds) = (None, None);
    for (name, field) in row.get_column_iter() {
        match name.as_str() {
            "sampled_at" => {
                at = match field {
                    Field::TimestampMillis(at) => Some(*at),
                    Field::TimestampMicros(at) => Some(at.div_euclid(1000)),
                    _ => None,
                }
            }
            "seconds" => seconds = real(field).filter(|seconds| *seconds >= 0.0),
            "host" => read.host = text(field).unwrap_or_default(),
            "device" => read.device = text(field).unwrap_or_default(),
            "card" => read.card = text(field),
            "job" => read.job = text(field).unwrap_or_default(),
            "person" => read.person = text(field).unwrap_or_default(),
            "busy" => read.busy = real(field),
            "sm" => read.sm = real(field),
            "watts" => read.watts = real(field),
            "memory_used" => read.memory_used = whole(field),
            "memory_total" => read.memory_total = whole(field),
            _ => {}
        }
    }
    let need = |column: &str| ColumnarError(format!("`{column}`"));
    Ok(Sample {
        at: at.ok_or_else(|| need("sampled_at"))?,
        seconds: seconds.ok_or_else(|| need("seconds"))?,
        ..read
    })
}

fn text(field: &Field) -> Option<String> {
    match field {
        Field::Str(text) => Some(text.clone()),
        _ => None,
    }
}

fn real(field: &Field) -> Option<f64> {
    match field {
        Field::Double(value) => Some(*value),
        Field::Float(value) => Some(f64::from(*value)),
        _ => None,
    }
    .filter(|value| value.is_finite())
}

fn whole(field: &Field) -> Option<i64> {
    match field {
        Field::Long(value) => Some(*value),
        Field::Int(value) => Some(i64::from(*value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_read_back_and_what_was_not_measured_stays_unknown() {
        let sample = |at: i64, busy| Sample {
            at,
            seconds: 5.0,
            host: "机器-1".to_owned(),
            device: "GPU-1".to_owned(),
            card: (at % 2 == 0).then(|| "NVIDIA H20".to_owned()),
            busy,
            memory_used: Some(1 << 40),
            ..Sample::default()
        };
        let all: Vec<Sample> =
            (0..500).map(|at| sample(at, (at % 3 > 0).then_some(0.25))).collect();
        let bytes = write_samples(&all).unwrap();
        assert_eq!(read_samples(bytes).unwrap(), all);
        assert_eq!(read_samples(write_samples(&[]).unwrap()).unwrap(), []);
    }

    #[test]
    fn what_is_no_parquet_is_refused() {
        for bytes in [&b""[..], b"PAR1", b"PAR1xxxxPAR1", b"at,seconds\n1,2\n"] {
            assert!(read_samples(bytes.to_vec()).is_err(), "{bytes:?}");
        }
    }
}
