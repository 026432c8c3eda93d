//! Who a process belongs to and what it is called, from `/proc`: the driver's library tells ids only.

use crate::capture::ProcessSample;
use std::{fs, os::unix::fs::MetadataExt as _, path::Path};

/// Fills in names and users that are not known yet; a process of another container stays unknown.
pub fn name(processes: &mut [ProcessSample], root: &Path) {
    let accounts = fs::read_to_string(root.join("etc/passwd")).unwrap_or_default();
    for process in processes {
        let folder = root.join("proc").join(process.pid.to_string());
        if process.name.is_none() {
            let name = fs::read_to_string(folder.join("comm")).ok();
            process.name = name.map(|name| name.trim().to_owned()).filter(|name| !name.is_empty());
        }
        if process.user.is_none()
            && let Ok(data) = fs::metadata(&folder)
        {
            let id = data.uid().to_string();
            // An account that this machine does not know has a number and is somebody all the same.
            process.user = Some(account(&accounts, &id).unwrap_or(id));
        }
    }
}

/// Finds the name of an account: `name:password:id:...`.
fn account(accounts: &str, id: &str) -> Option<String> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)? == id).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_has_its_name_and_its_owner_and_a_stranger_neither() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("proc/7")).unwrap();
        fs::create_dir_all(root.path().join("etc")).unwrap();
        fs::write(root.path().join("proc/7/comm"), "python3\n").unwrap();
        let own = fs::metadata(root.path()).unwrap().uid();
        let accounts = format!("daemon:x:99999:1::/:/bin/sh\nlin:x:{own}:0::/:/bin/sh\n");
        fs::write(root.path().join("etc/passwd"), accounts).unwrap();
        let of = |pid| ProcessSample { pid, ..ProcessSample::default() };
        let mut processes = [of(7), of(8)];
        name(&mut processes, root.path());
        let told = |process: &ProcessSample| (process.name.clone(), process.user.clone());
        assert_eq!(told(&processes[0]), (Some("python3".to_owned()), Some("lin".to_owned())));
        assert_eq!(told(&processes[1]), (None, None));
    }
}
