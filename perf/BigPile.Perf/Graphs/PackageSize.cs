using System.Linq;
using System.Text;
using BigPile.Perf.Catalogs;

namespace BigPile.Perf.Graphs;

/// <summary>Estimates a package's bytes including pointers that it does not have yet when it is first put.</summary>
/// <remarks>An upper bound for nearly all packages. If it is too low, the package becomes a link, which is harmless.</remarks>
internal static class PackageSize
{
    private const int PrefixBytes = 2; // of a text or a list; longer ones have a longer prefix, shorter ones make up for it
    private const int PointerBytes = 10; // wherever it leads
    private const int FixedBytes = 26; // the numbers, the pointer to the dependents, and what the codec adds

    internal static int EstimateBytes(Package package, CatalogEdge[] edges)
    {
        string?[] texts =
        [
            package.Name, package.Version, package.Architecture, package.Section, package.Priority, package.Homepage,
            package.Description, package.Sha256,
        ];
        return FixedBytes + texts.Sum(TextBytes) + package.Tags.Sum(TextBytes) + edges.Sum(EdgeBytes);
    }

    private static int TextBytes(string? text) => PrefixBytes + Encoding.UTF8.GetByteCount(text ?? "");

    private static int EdgeBytes(CatalogEdge edge) => PointerBytes + sizeof(VersionOperator) + TextBytes(edge.Version);
}
