//! The codes of a column, row by row, in as few bytes as its values need.

/// The code of every row of a column.
#[derive(Debug, Clone)]
pub(crate) enum Codes {
    /// Codes below 2⁸.
    Narrow(Vec<u8>),
    /// Codes below 2¹⁶.
    Middle(Vec<u16>),
    /// All others.
    Wide(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Codes {
        Codes::Narrow(Vec::new())
    }
}

impl Codes {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match self {
            Codes::Narrow(codes) => codes.len(),
            Codes::Middle(codes) => codes.len(),
            Codes::Wide(codes) => codes.len(),
        }
    }

    /// The code of a row.
    #[inline]
    pub fn at(&self, row: usize) -> u32 {
        match self {
            Codes::Narrow(codes) => u32::from(codes[row]),
            Codes::Middle(codes) => u32::from(codes[row]),
            Codes::Wide(codes) => codes[row],
        }
    }

    /// The code of a row, where there is one.
    pub fn get(&self, row: usize) -> Option<u32> {
        (row < self.len()).then(|| self.at(row))
    }

    /// The codes of all rows, in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        (0..self.len()).map(|row| self.at(row))
    }

    /// The codes of all rows in words of their own.
    pub fn to_vec(&self) -> Vec<u32> {
        self.iter().collect()
    }

    /// How many bytes the codes take.
    pub fn bytes(&self) -> usize {
        match self {
            Codes::Narrow(codes) => codes.capacity(),
            Codes::Middle(codes) => 2 * codes.capacity(),
            Codes::Wide(codes) => 4 * codes.capacity(),
        }
    }

    /// Adds a row.
    pub fn push(&mut self, code: u32) {
        match self {
            Codes::Narrow(codes) => match u8::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => {
                    *self = Codes::Middle(codes.iter().map(|code| u16::from(*code)).collect());
                    self.push(code);
                }
            },
            Codes::Middle(codes) => match u16::try_from(code) {
                Ok(code) => codes.push(code),
                Err(_) => {
                    *self = Codes::Wide(codes.iter().map(|code| u32::from(*code)).collect());
                    self.push(code);
                }
            },
            Codes::Wide(codes) => codes.push(code),
        }
    }
}

impl FromIterator<u32> for Codes {
    fn from_iter<I: IntoIterator<Item = u32>>(all: I) -> Codes {
        let mut codes = Codes::default();
        all.into_iter().for_each(|code| codes.push(code));
        match &mut codes {
            Codes::Narrow(codes) => codes.shrink_to_fit(),
            Codes::Middle(codes) => codes.shrink_to_fit(),
            Codes::Wide(codes) => codes.shrink_to_fit(),
        }
        codes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_grow_with_their_values() {
        let all: Vec<u32> = vec![0, 255, 256, 7, 65_535, 65_536, u32::MAX, 3];
        for len in 0..=all.len() {
            let codes: Codes = all[..len].iter().copied().collect();
            assert_eq!(codes.to_vec(), all[..len]);
            assert_eq!((codes.len(), codes.get(len)), (len, None));
        }
        let small: Codes = (0..100).collect();
        assert!(matches!(small, Codes::Narrow(_)) && small.bytes() < 400);
    }
}
