namespace BigPile.Perf.Tests;

/// <summary>A catalog that is small enough to be counted by hand.</summary>
/// <remarks>
/// <code>
/// top → left → bottom → x ⇄ y      loop → loop
/// top → right → bottom             chooser → (absent | bottom), (x | y)
/// lost → (nowhere), (no | never)   alone
/// </code>
/// </remarks>
internal static class SmallGraph
{
    internal static readonly string[] Lines =
    [
        CatalogText.Line("top", "left", "right (>= 1)"),
        CatalogText.Line("left", "bottom (<< 2:3.0~rc1-1)"),
        CatalogText.Line("right", "bottom:any"),
        CatalogText.Line("bottom", "x"),
        CatalogText.Line("x", "y"),
        CatalogText.Line("y", "x (= 1.0-1)"),
        CatalogText.Line("loop", "loop"),
        CatalogText.Line("chooser", "absent | bottom (>> 0)", "x | y"),
        CatalogText.Line("lost", "nowhere", "no | never"),
        CatalogText.Line("alone"),
    ];

    internal static readonly int[] DependencyCounts = [5, 3, 3, 2, 1, 1, 0, 3, 0, 0];

    internal static readonly int[] DependentCounts = [0, 1, 1, 4, 6, 6, 0, 0, 0, 0];
}
