//! Where checkpoints are kept: a folder that outlives the machine, or an S3-compatible store.

use crate::{context::Context, error::CommandError, transfer::Curl};
use kasuan_model::Phrase;
use kasuan_probe::run::checkpoints::{Folder, Keep, Keys, Place, S3};
use std::path::PathBuf;

/// Opens the place that an argument names. The network is asked later, by what needs it.
pub(super) fn open(place: &str, context: &Context) -> Result<Box<dyn Keep>, CommandError> {
    let Some((scheme, _)) = place.split_once("://") else {
        return Ok(Box::new(Folder(PathBuf::from(place))));
    };
    if scheme != "s3" {
        return Err(CommandError::user(Phrase::new("keep-error-scheme").with("scheme", scheme))
            .hint(Phrase::new("keep-hint-address")));
    }
    let set = |name: &str| context.settings.secrets.get(name);
    let region = set("AWS_REGION").or_else(|| set("AWS_DEFAULT_REGION"));
    let endpoint = set("AWS_ENDPOINT_URL").map(String::as_str);
    let place = Place::read(place, endpoint, region.map(String::as_str))?;
    let key = |name: &'static str| {
        set(name)
            .cloned()
            .ok_or_else(|| CommandError::user(Phrase::new("keep-error-key").with("name", name)))
    };
    let keys = Keys {
        id: key("AWS_ACCESS_KEY_ID")?,
        secret: key("AWS_SECRET_ACCESS_KEY")?,
        token: set("AWS_SESSION_TOKEN").cloned(),
    };
    Ok(Box::new(S3::new(place, keys, Curl::default())))
}
