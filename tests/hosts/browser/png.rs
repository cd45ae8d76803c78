//! Decoder for the browser's screenshots: PNG with 8 bits per channel, without interlacing (RFC 2083).

use std::collections::BTreeSet;
use std::io::Read as _;

/// An image as rows of red, green and blue.
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<[u8; 3]>,
}

impl Picture {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let number = |at: usize| u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let (mut at, mut packed) = (8, Vec::new());
        while at < bytes.len() {
            let length = number(at);
            if &bytes[at + 4..at + 8] == b"IDAT" {
                packed.extend_from_slice(&bytes[at + 8..at + 8 + length]);
            }
            at += 12 + length;
        }
        let (width, height, kind) = (number(16), number(20), bytes[25]);
        assert_eq!((bytes[24], bytes[28]), (8, 0), "8 bits a channel, no interlacing");
        let channels = match kind {
            2 => 3,
            6 => 4,
            other => panic!("colour type {other}"),
        };
        let mut raw = Vec::new();
        flate2::read::ZlibDecoder::new(packed.as_slice()).read_to_end(&mut raw).unwrap();
        let mut above = vec![0_u8; width * channels];
        let mut pixels = Vec::new();
        for line in raw.chunks(width * channels + 1) {
            let mut row = line[1..].to_vec();
            for x in 0..row.len() {
                let left = if x < channels { 0 } else { row[x - channels] };
                let corner = if x < channels { 0 } else { above[x - channels] };
                let add = match line[0] {
                    0 => 0,
                    1 => left,
                    2 => above[x],
                    3 => u8::try_from(u16::midpoint(left.into(), above[x].into())).unwrap(),
                    _ => paeth(left, above[x], corner),
                };
                row[x] = row[x].wrapping_add(add);
            }
            pixels.extend(row.chunks(channels).map(|pixel| [pixel[0], pixel[1], pixel[2]]));
            above = row;
        }
        assert_eq!(pixels.len(), width * height);
        Self { width, height, pixels }
    }

    /// Returns the mean of all channels, 0 to 255.
    pub(super) fn brightness(&self) -> u64 {
        let sum: u64 = self.pixels.iter().flatten().map(|channel| u64::from(*channel)).sum();
        sum / (3 * self.pixels.len() as u64)
    }

    /// Returns the number of different colours.
    pub(super) fn colours(&self) -> usize {
        self.pixels.iter().collect::<BTreeSet<_>>().len()
    }
}

fn paeth(left: u8, above: u8, corner: u8) -> u8 {
    let guess = i16::from(left) + i16::from(above) - i16::from(corner);
    [left, above, corner].into_iter().min_by_key(|one| (guess - i16::from(*one)).abs()).unwrap()
}
