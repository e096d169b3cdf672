namespace BigPile.AspNetCore.Tables;

/// <summary>Who may make tables, and how many.</summary>
internal interface ITableCreator
{
    /// <summary>The name that tables are noted under.</summary>
    string Name { get; }

    /// <summary>How many tables there may be of this maker; <see langword="null"/>: any number.</summary>
    int? MaxTables { get; }
}
