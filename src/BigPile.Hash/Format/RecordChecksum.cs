using System.Numerics;
using BigPile.Memory;

namespace BigPile.Hash.Format;

/// <summary>Starts the checksum of a record or state: CRC-32C without the final complement, to which the parts are added.</summary>
internal static class RecordChecksum
{
    internal static uint Begin(ulong first, ulong second, ulong third) =>
        BitOperations.Crc32C(BitOperations.Crc32C(BitOperations.Crc32C(Crc32C.Seed, first), second), third);
}
