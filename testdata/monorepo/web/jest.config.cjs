module.exports = {
  testMatch: ["<rootDir>/tests/**/*.test.ts"],
  transform: { "\\.ts$": "babel-jest" },
  watchman: false,
};
